// The assertions of each platform, as the platform makes them but for their keys, with the presets for them.

import t from 'tap'
import { ISSUER_PRESETS, type IssuerPresetName } from '../../../../src/admin/issuers/presets.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { createClient } from '../../../support/records.ts'
import { ISSUER, startService } from '../../../support/service.ts'
import {
  assertionOf,
  type Claims,
  type IssuerKey,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../../support/trusted-issuer.ts'

interface Shape {
  readonly preset: IssuerPresetName
  readonly issuer: string
  /** Members of the header besides alg and kid; undefined: none. */
  readonly header: Claims
  /** The claims at a time in seconds since 1970. */
  claims(now: number): Claims
  /** What the operator says about the workload. */
  readonly subject: string
  readonly conditions?: readonly string[]
  readonly of_issuer?: readonly string[]
  readonly audience?: string
  /** Claims of another workload of the same issuer. */
  readonly other: Claims
}

const UUID = '5f6b6a1e-1c0e-4a55-9a2e-6f0c2ad8a0c1'

const SHAPES: readonly Shape[] = [
  {
    preset: 'kubernetes',
    issuer: 'https://kubernetes.default.svc.cluster.local',
    header: { typ: undefined },
    claims: (now) => ({
      aud: [ISSUER],
      exp: now + 2400,
      iat: now - 1200,
      nbf: now - 1200,
      jti: UUID,
      'kubernetes.io': {
        namespace: 'prod',
        node: { name: 'node-1', uid: UUID },
        pod: { name: 'billing-7d9c-x2x4z', uid: UUID },
        serviceaccount: { name: 'billing', uid: UUID },
      },
      sub: 'system:serviceaccount:prod:billing',
    }),
    subject: 'system:serviceaccount:prod:billing',
    conditions: ['/kubernetes.io/pod/name=billing-*'],
    other: { sub: 'system:serviceaccount:dev:billing' },
  },
  {
    preset: 'github-actions',
    issuer: ISSUER_PRESETS['github-actions'].issuer,
    header: { x5t: 'ykNaY4qM_ta4k2TgZOCEYLkcYlA' },
    claims: (now) => ({
      jti: UUID,
      sub: 'repo:acme/shop:ref:refs/heads/main',
      aud: ISSUER,
      ref: 'refs/heads/main',
      sha: '0123456789abcdef0123456789abcdef01234567',
      repository: 'acme/shop',
      repository_owner: 'acme',
      repository_owner_id: '65',
      repository_id: '74',
      run_id: '30433642',
      run_attempt: '1',
      actor: 'ann',
      workflow: 'Deploy to prod',
      event_name: 'push',
      ref_protected: 'true',
      ref_type: 'branch',
      job_workflow_ref: 'acme/shop/.github/workflows/deploy.yml@refs/heads/main',
      runner_environment: 'github-hosted',
      nbf: now - 600,
      exp: now + 290,
      iat: now - 10,
    }),
    subject: 'repo:acme/shop:ref:refs/heads/main',
    conditions: [
      'workflow=Deploy%20to%20prod',
      'job_workflow_ref=acme/shop/.github/workflows/*@refs/heads/main',
    ],
    of_issuer: ['repository_owner=acme', 'repository_owner_id=65'],
    other: { sub: 'repo:acme/shop:pull_request' },
  },
  {
    preset: 'gitlab',
    issuer: ISSUER_PRESETS.gitlab.issuer,
    header: {},
    claims: (now) => ({
      namespace_id: '72',
      namespace_path: 'acme',
      project_id: '20',
      project_path: 'acme/shop',
      user_login: 'ann',
      pipeline_source: 'push',
      ref: 'main',
      ref_type: 'branch',
      ref_protected: 'true',
      environment: 'prod',
      jti: UUID,
      iat: now - 5,
      nbf: now - 10,
      exp: now + 3595,
      sub: 'project_path:acme/shop:ref_type:branch:ref:main',
      aud: ISSUER,
    }),
    subject: 'project_path:acme/shop:ref_type:branch:ref:main',
    conditions: ['ref_protected=true'],
    of_issuer: ['namespace_path=acme'],
    other: { namespace_path: 'evil' },
  },
  {
    preset: 'spiffe',
    issuer: 'https://oidc-discovery.example.org',
    header: { typ: 'JOSE' },
    claims: (now) => ({
      aud: [ISSUER],
      exp: now + 290,
      iat: now - 10,
      sub: 'spiffe://example.org/ns/prod/sa/billing',
    }),
    subject: 'spiffe://example.org/ns/prod/sa/billing',
    other: { sub: 'spiffe://example.org/ns/dev/sa/billing' },
  },
  {
    preset: 'aws',
    issuer: `https://${UUID}.tokens.sts.global.api.aws`,
    header: {},
    claims: (now) => ({
      aud: ISSUER,
      sub: 'arn:aws:iam::123456789012:role/billing',
      'https://sts.amazonaws.com/': {
        aws_account: '123456789012',
        source_region: 'eu-central-1',
        principal_id: 'arn:aws:iam::123456789012:role/billing',
      },
      exp: now + 290,
      iat: now - 10,
      jti: UUID,
    }),
    subject: 'arn:aws:iam::123456789012:role/billing',
    conditions: ['/https:~1~1sts.amazonaws.com~1/aws_account=123456789012'],
    other: { 'https://sts.amazonaws.com/': { aws_account: '999999999999' } },
  },
  {
    preset: 'azure',
    issuer: `https://login.microsoftonline.com/${UUID}/v2.0`,
    header: { x5t: 'nOo3ZDrODXEK1jKWhXslHR_KXEg' },
    claims: (now) => ({
      aud: '11112222-bbbb-3333-cccc-4444dddd5555',
      iat: now - 3600,
      nbf: now - 3600,
      exp: now + 82_800,
      appid: UUID,
      idtyp: 'app',
      oid: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
      sub: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
      tid: UUID,
      uti: 'abcDEF123',
      ver: '2.0',
      roles: ['Redmint.Use'],
    }),
    subject: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
    conditions: [`tid=${UUID}`, 'idtyp=app'],
    audience: '11112222-bbbb-3333-cccc-4444dddd5555',
    other: { idtyp: 'user' },
  },
  {
    preset: 'gcp',
    issuer: ISSUER_PRESETS.gcp.issuer,
    header: {},
    claims: (now) => ({
      aud: ISSUER,
      azp: '107517467455664443766',
      email: 'billing@acme.iam.gserviceaccount.com',
      email_verified: true,
      exp: now + 3000,
      iat: now - 600,
      sub: '107517467455664443766',
      google: { compute_engine: { project_id: 'acme', zone: 'europe-west3-a', instance_name: 'billing-1' } },
    }),
    subject: '107517467455664443766',
    conditions: ['/google/compute_engine/project_id=acme', 'email_verified=true'],
    other: { google: { compute_engine: { project_id: 'other' } } },
  },
]

const KEY: IssuerKey = issuerKey('key-1', 'RS256')

for (const { preset, issuer, header, claims, subject, ...shape } of SHAPES) {
  t.test(`an assertion of ${preset}`, async (t) => {
    const at = Date.now()
    const now = Math.floor(at / 1000)
    const service = await startService(t, { trusted_issuers: true, now: () => at })
    const { audience, of_issuer: conditions = [] } = shape
    const { fields } = ISSUER_PRESETS[preset]
    await trust(service.storage, KEY, { issuer, ...fields, conditions, ...(audience && { audience }) })
    const client = {
      client_id: 'workload',
      client_name: 'Workload',
      is_public: false,
      redirect_uris: [],
      allowed_scopes: ['api.read'],
      grant_types: [JWT_BEARER],
      assertion_issuer: issuer,
      assertion_subject: subject,
      assertion_claims: shape.conditions ?? [],
    } as const
    await createClient(service.storage, 'workload', formatClient(client))
    const send = async (overrides: Claims) => {
      const assertion = assertionOf(KEY, { iss: issuer, ...claims(now), ...overrides }, header)
      return (await service.token({ grant_type: JWT_BEARER, client_id: 'workload', assertion })).json
    }
    t.match(await send({}), { scope: 'api.read', token_type: 'Bearer' })
    t.match(await send({ jti: 'another', ...shape.other }), { error: 'invalid_grant' }, 'another workload')
    const again = await send({})
    if ('reusable' in fields) t.match(again, { scope: 'api.read' }, 'presented again')
    else t.match(again, { error: 'invalid_grant' }, 'presented again')
  })
}

t.test('every preset has a shape', async (t) => {
  t.strictSame(SHAPES.map(({ preset }) => preset).sort(), Object.keys(ISSUER_PRESETS).sort())
})
