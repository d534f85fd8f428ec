/** What test/browser/bundle.ts makes of the main entry with the condition `without-ky`. */
declare module 'arango-services/without-ky' {
  export * from 'arango-services';
}
