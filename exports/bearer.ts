export { default } from '../plugins/bearer.ts'
export type { AccessToken } from '../src/tokens/validation.ts'
