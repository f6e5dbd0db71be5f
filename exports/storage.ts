export type { RedisLocation } from '../src/config/redis-location.ts'
export type { Log } from '../src/core/log.ts'
export { openStorage, type StorageOptions } from '../src/service/open-storage.ts'
export type { Storage } from '../src/storage/storage.ts'
