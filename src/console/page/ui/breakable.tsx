/** A name in pieces between which a line may break, so that an address is not broken inside of a word. */
export const breakable = (name: string) =>
  name.split(/(?<=[@/:])|(?=\.)/).map((piece, index) => (
    <>
      {index > 0 && <wbr />}
      {piece}
    </>
  ));
