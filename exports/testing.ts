export { type Redmint, type Seed, type StartOptions, startRedmint } from '../dev/start.ts'
