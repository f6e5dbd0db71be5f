// Each command × the operations that it calls, with their inputs: what these do is tested where they are. Which commands work
// at a server, on Redis only, or alone; those on Redis only say so, before they do anything.
import type { Command } from 'commander'
import t from 'tap'
import { buildProgram } from '../../../cli/program.ts'
import { CommandRun } from '../../../cli/run.ts'
import { ANSWERS } from '../../support/cli/answers.ts'
import { type Call, type Given, recorded } from '../../support/cli/recorded.ts'
import { createCli } from '../../support/cli/run-cli.ts'

const context = {
  ...{ invocation: 'redmint', environment: {}, now: Date.now, wait: async () => {} },
  ...{ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
  storageOpener: () => t.fail('a command opens storage') as never,
  development: () => t.fail('a command starts a server') as never,
}

const leavesOf = (parent: Command, names: readonly string[] = []): [string, Command][] =>
  parent.commands.flatMap((command): [string, Command][] => {
    const path = [...names, command.name()]
    return command.commands.length === 0 ? [[path.join(' '), command]] : leavesOf(command, path)
  })
const LEAVES = leavesOf(buildProgram(new CommandRun(context), context))
const serverOf = (command: Command) => command.options.find(({ long }) => long === '--server')
const takes = (command: Command, flag: string) => command.options.some(({ long }) => long === flag)

/** Each command => its operations with their inputs; the least that each command can be given, and what its flags are. */
const TABLE = `
client add shop --name Shop --redirect-uri https://a.example/cb --scope "a b" => create_client {"body":{"client_id":"shop","is_public":false,"client_name":"Shop","redirect_uris":["https://a.example/cb"],"allowed_scopes":["a","b"]}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client add shop --public --redirect-uri com.example.shop:/cb => create_client {"body":{"client_id":"shop","is_public":true,"redirect_uris":["com.example.shop:/cb"]}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client add shop --secret-stdin => create_client {"body":{"client_id":"shop","is_public":false,"client_secret":"ssssssssssssssssssssssssssssssss"}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client add shop --for machine --scope a => read_settings + create_client {"body":{"client_id":"shop","client_name":"shop","is_public":false,"allowed_scopes":["a"]},"dry_run":true} + create_client {"body":{"client_id":"shop","client_name":"shop","is_public":false,"allowed_scopes":["a"]}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client list => list_clients {"limit":200}
client show shop => read_client {"params":{"client_id":"shop"}}
client update shop --name B --clear-scopes => change_client {"params":{"client_id":"shop"},"body":{"client_name":"B","allowed_scopes":null}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client update shop --add-redirect-uri https://b.example/cb --remove-scope a => change_client {"params":{"client_id":"shop"},"body":{"redirect_uris":["https://a.example/cb","https://b.example/cb"],"allowed_scopes":["openid"]}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client update shop --confidential --secret-stdin => change_client {"params":{"client_id":"shop"},"body":{"is_public":false,"client_secret":"ssssssssssssssssssssssssssssssss"}} + lint_clients {"query":{"client_id":"shop"},"limit":200}
client disable shop => disable_client {"params":{"client_id":"shop"}}
client enable shop => enable_client {"params":{"client_id":"shop"}}
client end shop => end_grants_of_client {"params":{"client_id":"shop"}}
client remove shop --yes => delete_client {"params":{"client_id":"shop"}}
client rotate-secret shop --keep 24h => rotate_client_secret {"params":{"client_id":"shop"},"body":{"keep_old_for":86400}}
client rotate-secret shop --secret-stdin => rotate_client_secret {"params":{"client_id":"shop"},"body":{"client_secret":"ssssssssssssssssssssssssssssssss","keep_old_for":0}}
client end-old-secret shop => end_old_client_secret {"params":{"client_id":"shop"}}
client keys show shop => read_client_keys {"params":{"client_id":"shop"}}
client keys refresh shop => refresh_client_keys {"params":{"client_id":"shop"}}
client invite => create_invitation {"body":{"uses":1,"ttl":86400}}
client invite --uses 20 --ttl 7d => create_invitation {"body":{"uses":20,"ttl":604800}}
client for-preview --of shop --redirect https://pr-1.preview.example.com/cb => make_preview {"params":{"client_id":"shop"},"body":{"redirect_uri":"https://pr-1.preview.example.com/cb","lives":259200}}
client for-preview --of shop --redirect https://pr-1.preview.example.com/cb --lives 30m => make_preview {"params":{"client_id":"shop"},"body":{"redirect_uri":"https://pr-1.preview.example.com/cb","lives":1800}}
client previews shop => list_previews {"params":{"client_id":"shop"}}
client end-preview --of shop --redirect https://pr-1.preview.example.com/cb => end_preview {"params":{"client_id":"shop"},"query":{"redirect_uri":"https://pr-1.preview.example.com/cb"}}
client lint => lint_clients {"query":{},"limit":200}
client lint shop => lint_clients {"query":{"client_id":"shop"},"limit":200}
client import - => create_client {"body":{"is_public":true,"redirect_uris":["https://a.example/cb"],"client_id":"a"},"dry_run":true} + create_client {"body":{"is_public":true,"redirect_uris":["https://a.example/cb"],"client_id":"a"}}
client import - --update => change_client {"params":{"client_id":"a"},"dry_run":true,"body":{"client_name":"B"}} + change_client {"params":{"client_id":"a"},"body":{"client_name":"B"}}
user add ALICE --name A --email-verified --email a@example.com --claim level=1 --sub s-1 => read_settings + index_users {"body":{}} + create_user {"body":{"username":"ALICE","sub":"s-1","claims":{"name":"A","email":"a@example.com","email_verified":true,"level":1}}}
user add alice --password-stdin => read_settings + import_user {"body":{"username":"alice","fields":{},"password":"correct horse battery"}}
user add alice --name A => read_settings + create_user {"body":{"username":"alice","claims":{"name":"A"}}}
user list => list_users {"limit":200}
user list --find kowalski => list_users {"query":{"q":"kowalski"},"limit":200}
user list --inactive 90d => list_inactive_users {"body":{"since":"2026-08-31T12:00:00.000Z"}}
user show alice => read_user {"params":{"username":"alice"}}
user update alice --claim email=b@example.com --remove-claim phone_number --second-factor required --clear-linked-subjects => change_user {"params":{"username":"alice"},"body":{"second_factor":"required","linked_subjects":null,"claims":{"email":"b@example.com","phone_number":null}}}
user update alice --claim level={"b":{"d":4}} => change_user {"params":{"username":"alice"},"body":{"claims":{"level":{"a":null,"b":{"c":null,"d":4}}}}}
user set-password alice --password-stdin => set_password {"body":{"username":"alice","password":"x"}}
user lint => lint_users {"query":{},"limit":200}
user lint alice => lint_users {"query":{"username":"alice"},"limit":200}
user import - => index_users {"body":{}} + import_user {"body":{"username":"alice","fields":{"name":"A"}},"dry_run":true} + import_user {"body":{"username":"alice","fields":{"name":"A"}}}
user import - --dry-run => create_user {"body":{"username":"alice","claims":{"name":"A"}},"dry_run":true}
user withdraw-consent alice shop => withdraw_consent {"params":{"username":"alice","client_id":"shop"}}
user factors alice => read_factors {"params":{"username":"alice"}}
user reset-factors alice --totp => reset_factors {"params":{"username":"alice"},"query":{"only":"totp"}}
user reset-factors alice --passkeys => reset_factors {"params":{"username":"alice"},"query":{"only":"passkeys"}}
user reset-factors alice --all => reset_factors {"params":{"username":"alice"},"query":{}}
user reset-link alice => create_reset_link {"params":{"username":"alice"}}
user reset-link alice --send => create_reset_link {"params":{"username":"alice"},"query":{"send":true}}
user invite --email b@example.com --groups staff,board --uses 3 --days 2 --send --language de => create_user_invitation {"body":{"email":"b@example.com","send":true,"language":"de","groups":["staff","board"],"uses":3,"days":2}}
user invite => create_user_invitation {"body":{"uses":1,"days":7}}
user invitations => list_user_invitations {"limit":200}
user remove-invitation x => delete_user_invitation {"params":{"id":"x"}}
user act-as alice --client shop --resource https://orders.example --reason "ticket 1" => act_as_user {"params":{"username":"alice"},"body":{"client_id":"shop","resource":"https://orders.example","reason":"ticket 1"}}
user act-as alice --client shop --resource https://orders.example --reason x --scope "a b" => act_as_user {"params":{"username":"alice"},"body":{"client_id":"shop","resource":"https://orders.example","reason":"x","scope":"a b"}}
user disable alice => disable_user {"params":{"username":"alice"}}
user enable alice => enable_user {"params":{"username":"alice"}}
user end alice => end_user {"params":{"username":"alice"}}
user unlock alice => unlock_user {"params":{"username":"alice"}}
user remove alice --yes => delete_user {"params":{"username":"alice"}}
user sessions alice => list_sessions {"params":{"username":"alice"},"limit":200}
user grants alice => list_grants_of_user {"params":{"username":"alice"},"limit":200}
admin create ada --email a@example.com --name A => read_settings + create_user {"body":{"username":"ada","admin":["redmint:read","redmint:write"],"claims":{"name":"A","email":"a@example.com","email_verified":true}}} + register_command_client {"body":{}} + create_reset_link {"params":{"username":"ada"}}
admin create ada --scope redmint:users:read => read_settings + create_user {"body":{"username":"ada","admin":["redmint:users:read"],"claims":{}}} + create_reset_link {"params":{"username":"ada"}}
admin grant alice => change_user {"params":{"username":"alice"},"body":{"admin":["redmint:read","redmint:write"]}} + register_command_client {"body":{}}
admin grant alice --scope redmint:keys:read => change_user {"params":{"username":"alice"},"body":{"admin":["redmint:users:read","redmint:keys:read"]}}
admin revoke alice => change_user {"params":{"username":"alice"},"body":{"admin":null}}
admin revoke alice --scope redmint:read => change_user {"params":{"username":"alice"},"body":{"admin":["redmint:write"]}}
admin list => list_users {"query":{"admin":true}}
resource add https://api.example.com --scope "a b" --access-token-ttl 300 => create_resource {"body":{"scopes":["a","b"],"access_token_ttl":300,"resource":"https://api.example.com"}}
resource list => list_resources {"limit":200}
resource show https://api.example.com => read_resource {"params":{"resource":"https://api.example.com"}}
resource update https://api.example.com --name X --clear-scopes => change_resource {"params":{"resource":"https://api.example.com"},"body":{"resource_name":"X","scopes":null}}
resource disable https://api.example.com => change_resource {"params":{"resource":"https://api.example.com"},"body":{"disabled":true}}
resource enable https://api.example.com => change_resource {"params":{"resource":"https://api.example.com"},"body":{"disabled":null}}
resource remove https://api.example.com --yes => delete_resource {"params":{"resource":"https://api.example.com"}}
resource lint => lint_resources {"query":{},"limit":200}
application add https://auth.chat.example --client agent=there --scope "a b" => create_application {"body":{"clients":["agent=there"],"scopes":["a","b"],"application":"https://auth.chat.example"}}
application list => list_applications {"limit":200}
application show https://auth.chat.example => read_application {"params":{"application":"https://auth.chat.example"}}
application update https://auth.chat.example --scope a => change_application {"params":{"application":"https://auth.chat.example"},"body":{"scopes":["a"]}}
application remove https://auth.chat.example --yes => delete_application {"params":{"application":"https://auth.chat.example"}}
application lint => lint_applications {"query":{},"limit":200}
detail-type add payment --schema test/support/payment.json --text en=Pay => create_detail_type {"body":{"schema":"{\\"type\\":\\"object\\",\\"properties\\":{\\"amount\\":{\\"type\\":\\"number\\",\\"minimum\\":0.01,\\"maximum\\":1000,\\"narrow\\":\\"less\\"},\\"currency\\":{\\"type\\":\\"string\\",\\"enum\\":[\\"EUR\\",\\"USD\\"]},\\"creditor\\":{\\"type\\":\\"string\\",\\"minLength\\":1,\\"maxLength\\":70},\\"purpose\\":{\\"type\\":\\"string\\",\\"maxLength\\":140}},\\"required\\":[\\"amount\\",\\"currency\\",\\"creditor\\"]}","text":{"en":"Pay"},"detail_type":"payment"}}
detail-type list => list_detail_types {"limit":200}
detail-type show payment => read_detail_type {"params":{"detail_type":"payment"}}
detail-type set payment --remember false => change_detail_type {"params":{"detail_type":"payment"},"body":{"remember":false}}
detail-type disable payment => change_detail_type {"params":{"detail_type":"payment"},"body":{"disabled":true}}
detail-type enable payment => change_detail_type {"params":{"detail_type":"payment"},"body":{"disabled":null}}
detail-type remove payment --yes => delete_detail_type {"params":{"detail_type":"payment"}}
detail-type lint => lint_detail_types {"query":{},"limit":200}
issuer add https://idp.example.com --condition tenant=acme => read_settings + create_issuer {"body":{"issuer":"https://idp.example.com","conditions":["tenant=acme"]}}
issuer add --for github-actions => read_settings + create_issuer {"body":{"issuer":"https://token.actions.githubusercontent.com","algorithms":["RS256"],"max_lifetime":600}}
issuer list => list_issuers {"limit":200} + read_settings
issuer show https://idp.example.com => read_issuer {"params":{"issuer":"https://idp.example.com"}}
issuer update https://idp.example.com --clear-conditions => read_issuer {"params":{"issuer":"https://idp.example.com"}} + read_settings + change_issuer {"params":{"issuer":"https://idp.example.com"},"body":{"conditions":null}}
issuer remove https://idp.example.com --yes => delete_issuer {"params":{"issuer":"https://idp.example.com"}}
issuer lint => lint_issuers {"query":{},"limit":200}
provider add google --client-id x --secret-stdin => read_settings + create_provider {"body":{"client_id":"x","provider":"google","client_secret":"secret"}}
provider list => list_providers {"limit":200} + read_settings
provider show google => read_provider {"params":{"provider":"google"}}
provider update google --client-id y => change_provider {"params":{"provider":"google"},"body":{"client_id":"y"}}
provider secret google --secret-stdin => set_provider_secret {"params":{"provider":"google"},"body":{"client_secret":"secret"}}
provider test google => test_provider {"params":{"provider":"google"}}
provider disable google => change_provider {"params":{"provider":"google"},"body":{"disabled":true}}
provider enable google => change_provider {"params":{"provider":"google"},"body":{"disabled":null}}
provider remove google --yes => delete_provider {"params":{"provider":"google"}}
provider lint google => lint_providers {"query":{"provider":"google"},"limit":200}
directory test => test_directory {"body":{}}
directory test ALICE => test_directory {"body":{"username":"ALICE"}}
session end ALICE one => end_session {"params":{"username":"ALICE","sid":"one"}}
session end alice --all => end_sessions {"params":{"username":"alice"}}
session end-all --yes => end_all_sessions {"query":{"confirm":"all-sessions"}}
grant list --user ALICE => list_grants_of_user {"params":{"username":"ALICE"},"limit":200}
grant list --client shop => list_grants_of_client {"params":{"client_id":"shop"},"limit":200}
grant show AAAAAAAAAAAAAAAA => read_grant {"params":{"grant":"AAAAAAAAAAAAAAAA"}}
grant acting --user ALICE => list_acting_for_user {"params":{"username":"ALICE"},"limit":200}
grant acting --client shop => list_acting_from_client {"params":{"client_id":"shop"},"limit":200}
grant end-acting billing --grant AAAAAAAAAAAAAAAA => end_acting_in_grant {"params":{"grant":"AAAAAAAAAAAAAAAA","client_id":"billing"}}
grant end-acting billing --user alice => end_acting_for_user {"params":{"username":"alice","client_id":"billing"}}
grant end AAAAAAAAAAAAAAAA => end_grant {"params":{"grant":"AAAAAAAAAAAAAAAA"}}
grant end --user alice => end_grants_of_user {"params":{"username":"alice"}}
grant end --client shop => end_grants_of_client {"params":{"client_id":"shop"}}
token inspect - => inspect_token {"body":{"token":"AAAAAAAAAAAAAAAA.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}}
token list --user alice => list_grants_of_user {"params":{"username":"alice"},"limit":200}
token revoke AAAAAAAAAAAAAAAA.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb --family => revoke_token {"body":{"token":"AAAAAAAAAAAAAAAA.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","family":true}}
token revoke AAAAAAAAAAAAAAAA.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb => revoke_token {"body":{"token":"AAAAAAAAAAAAAAAA.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","family":false}}
keys list => list_keys
keys rotate => rotate_keys
limits => list_limits
limits lift x => lift_limit {"params":{"id":"x"}}
mail list => list_mails
mail retry => retry_mails {"body":{}}
mail retry m1 => retry_mails {"body":{"id":"m1"}}
mail test a@example.com => test_mail {"body":{"to":"a@example.com"}}
stream list => list_streams
stream show payroll => read_stream {"params":{"client_id":"payroll"}}
stream resume payroll => resume_stream {"params":{"client_id":"payroll"}}
stream remove payroll => delete_stream {"params":{"client_id":"payroll"}}
audit tail --limit 5 => list_events {"limit":5}
audit search --actor a --client c --user u --event client_changed --since 24h --cursor x => list_events {"query":{"actor":"a","client_id":"c","username":"u","event":"client_changed","since":"2026-11-28T12:00:00.000Z"},"cursor":"x","limit":20}
audit export --since 2026-01-01 --format csv => list_events {"query":{"since":"2026-01-01T00:00:00.000Z","order":"oldest"},"limit":200}
audit verify => verify_events
server => read_server
find ann => list_users {"query":{"q":"ann"},"limit":20} + list_clients {"query":{"q":"ann"},"limit":20} + list_providers {"query":{"q":"ann"},"limit":20} + list_groups {"query":{"q":"ann"}}
explain x => read_explanation {"params":{"id":"x"},"query":{"lang":"en"}}
explain --last 5 --client shop => list_explanations {"query":{"last":5,"lang":"en","client_id":"shop"}}
explain --client shop --trail => explain_connection {"query":{"client_id":"shop","lang":"en"}}
explain --client shop --trail --last 5 => explain_connection {"query":{"client_id":"shop","lang":"en","last":5}}
mcp doctor http://127.0.0.1:1/mcp --client shop => explain_connection {"query":{"client_id":"shop","lang":"en"}}
explain --user alice --client orders --exchange shop --from https://a.example --resource https://b.example --scope a => what_if_exchange {"body":{"username":"alice","client_id":"orders","of_client":"shop","resource":"https://b.example","of_resource":"https://a.example","scope":"a"}}
explain --user alice --client shop --details [] => what_if {"body":{"username":"alice","client_id":"shop","authorization_details":"[]"}}
explain --user alice --client shop --scope openid --resource https://a.example --acr 1 => what_if {"body":{"username":"alice","client_id":"shop","scope":"openid","resource":["https://a.example"],"acr":"1"}}
doctor => doctor
apply - => replace_resource {"params":{"resource":"https://api.example.com"},"body":{"scopes":["a"],"managed_by":"team"},"dry_run":true} + list_clients {"limit":200} + replace_resource {"params":{"resource":"https://api.example.com"},"body":{"scopes":["a"],"managed_by":"team"}}
apply - --dry-run => replace_user {"params":{"username":"alice"},"body":{"claims":{"name":"A"},"managed_by":"team"},"dry_run":true} + list_clients {"limit":200}
apply - --prune --yes => list_clients {"limit":200} + list_issuers {"limit":200} + list_applications {"limit":200} + list_providers {"limit":200} + list_resources {"limit":200} + list_detail_types {"limit":200} + list_users {"limit":200}
`

/** What some of them are given besides. */
const GIVEN: Readonly<Record<string, Given>> = {
  'apply -': {
    input: JSON.stringify({
      label: 'team',
      resources: [{ resource: 'https://api.example.com', scopes: ['a'] }],
    }),
  },
  'apply - --dry-run': {
    input: JSON.stringify({ label: 'team', users: [{ username: 'alice', claims: { name: 'A' } }] }),
  },
  'apply - --prune --yes': { input: JSON.stringify({ label: 'team', clients: [] }) },
  'client add shop --secret-stdin': { input: 'ssssssssssssssssssssssssssssssss' },
  'client update shop --add-redirect-uri https://b.example/cb --remove-scope a': {
    stored: { redirect_uris: ['https://a.example/cb'], allowed_scopes: ['openid', 'a'] },
  },
  'client update shop --confidential --secret-stdin': { input: 'ssssssssssssssssssssssssssssssss' },
  'client rotate-secret shop --secret-stdin': { input: 'ssssssssssssssssssssssssssssssss' },
  'client import -': {
    input: '[{"client_id":"a","is_public":true,"redirect_uris":["https://a.example/cb"]}]',
  },
  'client import - --update': { input: '[{"client_id":"a","client_name":"B"}]' },
  'user add alice --password-stdin': { input: 'correct horse battery' },
  'user add alice --name A': { at_server: true },
  'user update alice --claim level={"b":{"d":4}}': { stored: { claims: { level: { a: 1, b: { c: 2 } } } } },
  'user set-password alice --password-stdin': { input: 'x' },
  'user import -': { input: '[{"username":"alice","claims":{"name":"A"}}]' },
  'user import - --dry-run': { input: '[{"username":"alice","claims":{"name":"A"}}]', at_server: true },
  'admin create ada --scope redmint:users:read': { at_server: true },
  'admin grant alice': { stored: { admin: ['redmint:users:read'] } },
  'admin grant alice --scope redmint:keys:read': {
    at_server: true,
    stored: { admin: ['redmint:users:read'] },
  },
  'admin revoke alice': { stored: { admin: ['redmint:read'] } },
  'admin revoke alice --scope redmint:read': { stored: { admin: ['redmint:read', 'redmint:write'] } },
  'provider add google --client-id x --secret-stdin': { input: 'secret' },
  'provider secret google --secret-stdin': { input: 'secret' },
  'token inspect -': { input: 'AAAAAAAAAAAAAAAA.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n' },
  doctor: { at_server: true },
}

const ROWS = TABLE.trim()
  .split('\n')
  .map((row): [line: string, calls: Call[], given: Given] => {
    const [line = '', calls = ''] = row.split(' => ')
    const made = calls.split(' + ').map((call) => {
      const [, name, input] = /^(\w+) ?(.*)$/.exec(call) ?? []
      return (input ? [name, JSON.parse(input)] : [name]) as unknown as Call
    })
    return [line, made, GIVEN[line] ?? {}]
  })

const argsIn = (line: string) =>
  [...line.matchAll(/"([^"{}]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

t.test('each command calls its operations, and prints JSON if it is asked for', async (t) => {
  for (const [line, calls, given] of ROWS) {
    const run = { ...given, answers: ANSWERS }
    const { calls: made } = await recorded(argsIn(line), run)
    t.strictSame(made, calls, line)
    const { stdout, calls: again } = await recorded([...argsIn(line), '--json'], run)
    t.strictSame(again, calls, `${line} --json`)
    // The entries are printed as they come.
    if (!line.startsWith('audit export')) t.match(JSON.parse(stdout), {}, `${line} --json`)
  }
})

t.test('every command that calls operations has a row', async (t) => {
  const others = LEAVES.filter(([, command]) => serverOf(command)?.hidden !== false).map(([name]) => name)
  const expected = LEAVES.map(([name]) => name).filter(
    (name) => name === 'user set-password' || !['login', 'logout', ...others].includes(name),
  )
  const missing = expected.filter((name) => {
    const is_default = name === 'limits list'
    return !ROWS.some(([line]) => `${line} `.startsWith(`${is_default ? 'limits' : name} `))
  })
  t.strictSame(missing, [])
})

t.test('what cannot be undone is asked first', async (t) => {
  const asking = LEAVES.filter(
    ([, command]) =>
      takes(command, '--yes') && serverOf(command)?.hidden === false && command.name() !== 'apply',
  )
  t.ok(asking.length > 5)
  for (const [name, command] of asking) {
    const args = [...name.split(' '), ...command.registeredArguments.map(() => 'x')]
    const { code, stderr, calls } = await recorded(args)
    t.match({ code, stderr, calls }, { code: 2, stderr: 'give --yes to confirm', calls: [] }, name)
    for (const input of ['n\n', '', 'yess\n']) {
      const no = await recorded(args, { input, isTTY: true })
      t.match(no, { code: 1, stderr: /Nothing was changed/, calls: [] }, `${name} ${input}`)
    }
    t.equal((await recorded(args, { input: 'Yes\n', isTTY: true, answers: ANSWERS })).calls.length, 1, name)
  }
})

t.test('every command has --server, but for those on Redis only, and those that need neither', async (t) => {
  const withOption = (hidden: boolean | undefined) =>
    LEAVES.filter(([, command]) => serverOf(command)?.hidden === hidden).map(([name]) => name)
  t.strictSame(withOption(undefined), ['init', 'serve', 'dev check-client', 'dev check-api'])
  t.strictSame(withOption(true), [
    'client reindex',
    'user set-password',
    'user reindex',
    'resource reindex',
    'detail-type reindex',
    'issuer reindex',
    'application reindex',
    'provider reindex',
    'export',
    'import',
    'restore mark',
  ])
})

t.test('what works on Redis only says why, and what to use', async (t) => {
  const server = 'https://login.example.com'
  for (const [name, command] of LEAVES.filter(([, command]) => serverOf(command)?.hidden)) {
    const args = [...name.split(' '), ...command.registeredArguments.map(() => 'x')]
    const said = {
      code: 2,
      stdout: '',
      stderr: `This command works on Redis only: leave --server and REDMINT_SERVER out. ${serverOf(command)?.description}\n`,
    }
    const { redmint } = createCli({ ...context, environment: { REDIS_URL: 'redis://127.0.0.1:1' } })
    t.strictSame(await redmint([...args, '--server', server]), said, name)
    const at_server = createCli({ ...context, environment: { REDMINT_SERVER: server } })
    t.strictSame(await at_server.redmint(args), said, `${name} with REDMINT_SERVER`)
    t.notMatch((await redmint([...args, '--help'])).stdout, '--server', `${name} --help`)
  }
})
