import type { Client } from '../clients/record/client-record.ts'
import type { AccessTokenFormat } from '../config/environment.ts'
import { isAdminScope } from '../core/admin-scopes.ts'
import type { SigningAlg } from '../core/algs.ts'
import { invalidTarget } from '../core/grant-errors.ts'
import type { Parameters } from '../core/parameters.ts'
import {
  isForDetailsAlone,
  isStandardScope,
  partOfScope,
  resolveScope,
  scopeNames,
  scopeOfOtherResource,
} from '../core/scope.ts'
import type { ResourceTarget } from '../storage/families.ts'
import type { Resource } from './resource-record.ts'
import type { ResourceRegistry } from './resource-registry.ts'

/** What finding resources needs. */
export interface TargetContext {
  readonly resources: Pick<ResourceRegistry, 'find' | 'findAny'>
}

/** What an access token is for, and what follows from it. */
export interface TokenTarget extends ResourceTarget {
  /** Never more than the client may obtain now: an operator may have removed a scope since it was granted. */
  readonly scopes: readonly string[]
  /** What the resources say of the token; absent: the client says it. */
  readonly format?: AccessTokenFormat
  readonly alg?: SigningAlg
  readonly ttl?: number
  readonly status_list?: true
}

/** What decides which scopes a client may use. */
export type ScopedClient = Pick<Client, 'allowed_scopes' | 'document_host' | 'registered_at'>

/** Returns the target of a request that names no resource: this server. */
export function ownTarget(client: ScopedClient): TokenTarget {
  return { resource: '', audience: '', scopes: ordinaryScopes(client) }
}

const MAX_RESOURCES = 10

/**
 * Returns the resources that a request names, each once.
 * @param given the values of the parameter `resource`, separated by spaces
 * @throws OAuthError `invalid_target`; StorageUnavailable
 */
export async function findResources({ resources }: TargetContext, given: string): Promise<Resource[]> {
  const uris = given.split(' ')
  if (uris.length > MAX_RESOURCES)
    throw invalidTarget('resources_several', `The request names more than ${MAX_RESOURCES} resources.`, {
      received: { resources: uris.length },
      expected: { resources_at_most: MAX_RESOURCES },
    })
  const found = new Map<string, Resource>()
  for (const uri of uris) {
    const resource = await resources.findAny(uri)
    if (resource === undefined) throw unknownResource(uri)
    if (resource.disabled) throw disabledResource(uri)
    found.set(resource.id, resource)
  }
  return [...found.values()]
}

/**
 * Returns what an access token of a client is for.
 * @param given the values of the parameter `resource`, separated by spaces
 * @throws OAuthError `invalid_target`; StorageUnavailable
 */
export async function findTarget(
  context: TargetContext & { readonly settings: { readonly issuer: string } },
  client: Client,
  given: string,
): Promise<TokenTarget> {
  const found = await findResources(context, given)
  // RFC 8707 §2.2: a token for several resources can be replayed by each of them at the others.
  if (found.length > 1 && !client.multiple_audiences) {
    throw invalidTarget('resources_several', `A token is for one resource: name one of ${idsOf(found)}.`, {
      received: { resources: found.map(({ id }) => id) },
      expected: { resources_at_most: 1 },
    })
  }
  const for_admin = found.some(({ is_admin }) => is_admin)
  if (for_admin && found.length > 1) {
    throw invalidTarget(
      'resources_several',
      'A token for the admin API is for nothing else: name it alone.',
      {
        received: { resources: found.map(({ id }) => id) },
        expected: { resources_at_most: 1 },
      },
    )
  }
  const audience = found.map(({ resource }) => resource).join(' ')
  const scopes = scopesFor(client, found)
  const format = only(found, 'access_token_format')
  const alg = only(found, 'access_token_signed_response_alg')
  const ttls = found.flatMap(({ access_token_ttl: ttl = [] }) => ttl)
  return {
    resource: idsOf(found),
    audience: audience === context.settings.issuer ? '' : audience,
    scopes: for_admin ? scopes.filter(isAdminScope) : scopes,
    ...(format && { format }),
    ...(alg && { alg }),
    ...(ttls.length > 0 && { ttl: Math.min(...ttls) }),
    ...(found.some(({ status_list }) => status_list) && { status_list: true }),
  }
}

/**
 * Returns the scope to ask a person for at resources: as resolveScope, from the scopes that the client may use there.
 * @throws OAuthError `invalid_scope`; `invalid_target` as scopesFor
 */
export function scopeAt(
  resources: readonly Resource[],
  client: ScopedClient,
  parameters: Parameters,
): string {
  // Also for details alone: the token request for them finds its target by the same rule, and would be refused.
  const scopes = scopesFor(client, resources)
  if (isForDetailsAlone(parameters)) return ''
  return scopeOf({ resource: idsOf(resources), scopes }, client, parameters.scope)
}

/**
 * Returns the scope to grant for a target: as resolveScope, from the scopes of the target.
 * @throws OAuthError `invalid_scope`
 */
export function scopeOf(
  target: Pick<TokenTarget, 'resource' | 'scopes'>,
  client: Pick<Client, 'allowed_scopes'>,
  requested: string | undefined,
): string {
  checkScopeOf(target, client, requested)
  return resolveScope(requested, target.scopes)
}

/**
 * Refuses a scope that the client may obtain, but not with the resources that it requests (RFC 8707 §2.2).
 * @throws OAuthError `invalid_scope`
 */
export function checkScopeOf(
  { resource, scopes }: Pick<TokenTarget, 'resource' | 'scopes'>,
  { allowed_scopes }: Pick<Client, 'allowed_scopes'>,
  requested = '',
): void {
  // This server has no scopes of its own.
  if (resource === '') return
  const [allowed, usable] = [new Set(allowed_scopes), new Set(scopes)]
  const refused = scopeNames(requested).filter((name) => allowed.has(name) && !usable.has(name))
  if (refused.length > 0) throw scopeOfOtherResource(refused, resource, scopes)
}

/** Returns a target without rights at the admin API: who acts for somebody, or by the word of another issuer, gets none. */
export function withoutRights(target: TokenTarget): TokenTarget {
  return { ...target, scopes: target.scopes.filter((name) => !isAdminScope(name)) }
}

/** Returns the part of a scope that a token for a target may have. */
export function scopeFor({ scopes }: TokenTarget, scope: string): string {
  return partOfScope(scope, scopes)
}

/**
 * Returns the scopes that a client may use at resources, and those about the user; all but those of the admin API if there
 * are no resources, or if one of them takes any.
 * @throws OAuthError `invalid_target` if it may use none of those that the resources have
 */
function scopesFor(client: ScopedClient, resources: readonly Resource[]): readonly string[] {
  const ordinary = ordinaryScopes(client)
  const for_admin = resources.some(({ is_admin }) => is_admin) ? adminScopes(client) : []
  const others = resources.filter(({ is_admin }) => !is_admin)
  if (resources.length === 0 || others.some(({ scopes }) => scopes.length === 0))
    return [...ordinary, ...for_admin]
  const known = new Set([...others.flatMap(({ scopes }) => scopes), ...for_admin])
  const usable = [...ordinary, ...for_admin]
  if (!usable.some((name) => known.has(name))) {
    throw invalidTarget(
      'resource_without_scope',
      `This client may obtain no scope of ${idsOf(resources)}: an operator can add one to its allowed_scopes.`,
      { received: { allowed_scopes: usable }, expected: { scope: [...known] } },
    )
  }
  return usable.filter((name) => known.has(name) || isStandardScope(name))
}

/** Returns the scopes that a client may use anywhere but at the admin API. */
function ordinaryScopes({ allowed_scopes }: ScopedClient): readonly string[] {
  return allowed_scopes.some(isAdminScope)
    ? allowed_scopes.filter((name) => !isAdminScope(name))
    : allowed_scopes
}

/**
 * Returns the scopes of the admin API that a client may use: none if it registered or described itself, whatever its
 * record says.
 */
export function adminScopes({
  allowed_scopes,
  document_host,
  registered_at,
}: ScopedClient): readonly string[] {
  return document_host === undefined && registered_at === undefined ? allowed_scopes.filter(isAdminScope) : []
}

/** Returns the ids of resources, separated by spaces. */
export const idsOf = (resources: readonly Resource[]) => resources.map(({ id }) => id).join(' ')

// A token for several resources has one format and one algorithm.
function only<Field extends 'access_token_format' | 'access_token_signed_response_alg'>(
  resources: readonly Resource[],
  field: Field,
): Resource[Field] | undefined {
  const values = new Set(resources.map((resource) => resource[field]))
  if (values.size > 1)
    throw invalidTarget('resources_several', `These resources differ in ${field}: name one of them.`, {
      received: { resources: resources.map(({ id }) => id), field },
      expected: { values: 1 },
    })
  return [...values][0]
}

/**
 * The error for a request that names a resource that its grant is not for (RFC 8707 §2.2).
 * @param asked those of the request; undefined: it names none
 * @param granted those of the grant
 */
export const ungrantedTarget = (asked: string | undefined, granted: string) =>
  invalidTarget(
    'resource_not_granted',
    'The resource is not one of those in the authorization request or assertion, or differs from the request that this one repeats.',
    { received: { resources: asked?.split(' ') ?? [] }, expected: { resources: granted.split(' ') } },
  )

const unknownResource = (uri: string) =>
  invalidTarget(
    'resource_unknown',
    `The resource ${shown(uri)} is unknown here: an operator can add it with redmint resource add.`,
    {
      received: { resource: uri },
      log_as:
        'The resource of the request is unknown here: an operator can add it with redmint resource add.',
    },
  )

const disabledResource = (uri: string) =>
  invalidTarget(
    'resource_disabled',
    `The resource ${shown(uri)} is disabled here: an operator can enable it with redmint resource enable.`,
    { expected: { resource: uri } },
  )

// RFC 6749 §5.2 forbids double quotes and backslashes.
const shown = (uri: string) => (/^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/.test(uri) ? uri : 'of this request')
