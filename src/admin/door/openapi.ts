import type { TSchema } from '@sinclair/typebox'
import { ADMIN_PATH } from '../../core/paths.ts'
import { VERSION } from '../../core/version.ts'
import { demandsVersion, type Operation } from '../operation/operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from '../operation/problem.ts'
import { DryRunAnswer } from './answer-operation.ts'
import { mediaTypesOf } from './body.ts'
import { querySchema } from './query.ts'

/** The problems that every operation may answer. */
const COMMON: readonly ProblemCode[] = [
  'invalid_request',
  'unauthorized',
  'missing_scope',
  'too_many_requests',
  'server_error',
  'unavailable',
]

/** Returns the OpenAPI 3.1 description of the admin API of an issuer. */
export function describeApi(issuer: string, operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    Object.assign(paths[path], { [operation.method.toLowerCase()]: describe(operation) })
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'redmint admin API',
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: issuer + ADMIN_PATH }],
    paths,
    components: {
      schemas: { Problem },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An access token for the resource ${issuer}${ADMIN_PATH} (RFC 6750, RFC 8707)`,
        },
      },
    },
  }
}

function describe(operation: Operation): object {
  const { name, summary, path, scope, answer, needs = {}, body } = operation
  const [, area] = scope.split(':')
  const content = { 'application/json': { schema: answer } }
  const etag = { ETag: { schema: { type: 'string' }, description: 'The version of the record' } }
  return {
    operationId: name,
    summary,
    description: `Needs the scope \`${scope}\`.`,
    tags: [area],
    security: [{ bearer: [scope] }],
    parameters: parametersOf(operation, path),
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(mediaTypesOf(operation).map((type) => [type, { schema: body }])),
      },
    }),
    responses: {
      [needs.creates ? 201 : 200]: { description: 'Done', content, headers: etag },
      ...(needs.creates && needs.dry_run && { 200: described(DryRunAnswer) }),
      ...problemsOf(operation),
    },
  }
}

const described = (schema: TSchema) => ({
  description: String(schema.description),
  content: { 'application/json': { schema } },
})

function parametersOf(operation: Operation, path: string): object[] {
  const { params, needs = {} } = operation
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const query = querySchema(operation)
  const header = (name: string, required: boolean, description: string) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  })
  return [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: params?.properties[name] ?? { type: 'string' },
    })),
    ...Object.entries(query.properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: query.required?.includes(name) ?? false,
      schema,
    })),
    ...(needs.version
      ? [header('If-Match', demandsVersion(needs), 'The ETag of the record as it was read')]
      : []),
    ...(needs.creates
      ? [header('Idempotency-Key', false, 'A repetition with the same key gets the same answer for a day')]
      : []),
  ]
}

function problemsOf({ path, body, needs = {}, refusal }: Operation): Record<string, object> {
  const codes: readonly ProblemCode[] = [
    ...COMMON,
    'lacks_right',
    ...(path.includes(':') ? (['not_found'] as const) : []),
    ...(needs.creates ? (['exists', 'key_reused'] as const) : []),
    ...(needs.version ? (['stale'] as const) : []),
    ...(demandsVersion(needs) ? (['version_required'] as const) : []),
    ...(body || refusal ? (['conflict'] as const) : []),
    ...(body ? (['too_large', 'unsupported_media_type', 'invalid_field'] as const) : []),
  ]
  const schema = { $ref: '#/components/schemas/Problem' }
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort()
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: codes
          .filter((code) => PROBLEMS[code].status === status)
          .map((code) => PROBLEMS[code].title)
          .join(' '),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  )
}
