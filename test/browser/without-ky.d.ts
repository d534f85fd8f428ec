/** The main entry as test/browser/bundle.ts bundles it with the condition `without-ky`. */
declare module 'arango-services/without-ky' {
  export * from 'arango-services';
}
