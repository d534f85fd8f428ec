/** The condition of package.json under which a bundle leaves ky out. */
export const withoutKy = 'without-ky';
/** A text of ky that no minifier changes. */
export const kyText = 'prefixUrl';
