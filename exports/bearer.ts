export { default } from '../plugins/bearer.ts'
export type { AccessToken } from '../src/resource-server/access-token.ts'
export type { OwnNeeds } from '../src/resource-server/own-guard.ts'
