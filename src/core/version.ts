/** The version of redmint; equal to package.json's. */
export const VERSION = '0.1.0'
