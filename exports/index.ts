export { default, type RedmintOptions } from '../app.ts'
export { type Config, ConfigError, readConfig, type Settings } from '../src/config/config.ts'
