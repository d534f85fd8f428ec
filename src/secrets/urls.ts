const url = /https?:\/\/[^\s"'<>]+/gi;

/** URLs without user, query and fragment. */
export const cutUrls = (text: string): string =>
  text.replace(url, (found) => {
    const { origin, pathname } = URL.canParse(found) ? new URL(found) : { origin: 'http:', pathname: '' };
    return origin + pathname;
  });
