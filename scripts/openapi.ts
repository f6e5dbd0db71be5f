// Prints the OpenAPI description of the service, or of the admin API with the argument `admin`; `npm run openapi` writes them to
// docs/openapi.json and docs/admin-openapi.json.
import redmint from '../app.ts'
import { createInstance } from '../instance.ts'
import { DESCRIBED } from './described-settings.ts'

const fastify = createInstance({ level: 'silent' })
await fastify.register(redmint, {
  ...DESCRIBED,
  admin_api: process.argv[2] === 'admin' ? 'on' : 'off',
})
const { body } = await fastify.inject(
  process.argv[2] === 'admin' ? '/admin/v1/openapi.json' : '/openapi.json',
)
console.log(JSON.stringify(JSON.parse(body), null, 2))
await fastify.close()
