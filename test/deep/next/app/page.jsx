export default function Page() {
  return <p>The route of /api/edge is what is built here.</p>;
}
