export { default, type RedmintOptions } from '../app.ts'
export { type Config, readConfig } from '../src/config/config.ts'
export { ConfigError } from '../src/config/config-error.ts'
export type { Settings } from '../src/config/settings.ts'
