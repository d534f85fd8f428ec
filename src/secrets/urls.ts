const url = /https?:\/\/[^\s"'<>]+/gi;

/** Removes user, query and fragment from URLs. */
export const cutUrls = (text: string): string =>
  text.replace(url, (found) => {
    const { origin, pathname } = URL.canParse(found) ? new URL(found) : { origin: 'http:', pathname: '' };
    return origin + pathname;
  });
