// Storage of node-oidc-provider in Redis: each model is one key in JSON, with an index of the keys of a grant.
import { corkedRedis } from './corked-redis.js'

/** The class that the provider makes one instance of for each of its models. @param url where Redis is */
export function redisAdapter(url) {
  const redis = corkedRedis(url)
  const read = (text) => (text === null ? undefined : JSON.parse(text))
  return class RedisAdapter {
    constructor(model) {
      this.model = model
    }

    key(id) {
      return `${this.model}:${id}`
    }

    async upsert(id, payload, expiresIn) {
      const commands = redis.multi().set(this.key(id), JSON.stringify(payload), 'EX', expiresIn)
      if (payload.uid && this.model === 'Session') commands.set(`uid:${payload.uid}`, id, 'EX', expiresIn)
      if (payload.grantId && this.model !== 'Grant') {
        const index = `grant:${payload.grantId}`
        commands.sadd(index, this.key(id)).expire(index, expiresIn, 'NX').expire(index, expiresIn, 'GT')
      }
      await commands.exec()
    }

    async find(id) {
      return read(await redis.get(this.key(id)))
    }

    async findByUid(uid) {
      const id = await redis.get(`uid:${uid}`)
      return id === null ? undefined : this.find(id)
    }

    async consume(id) {
      const payload = await this.find(id)
      const value = JSON.stringify({ ...payload, consumed: Math.floor(Date.now() / 1000) })
      await redis.set(this.key(id), value, 'KEEPTTL')
    }

    async destroy(id) {
      await redis.del(this.key(id))
    }

    async revokeByGrantId(grantId) {
      const index = `grant:${grantId}`
      await redis.del(index, ...(await redis.smembers(index)))
    }
  }
}
