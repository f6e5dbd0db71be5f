import t from 'tap'
import { ConfigError } from '../../../../src/config/config-error.ts'
import { readDirectoryServer, readPairs } from '../../../../src/config/ldap-settings.ts'
import { completeSettings } from '../../../../src/config/settings.ts'

const WORKS = {
  sign_in: 'directory',
  ldap_url: 'ldaps://ldap.example.com',
  ldap_base_dn: 'dc=example,dc=com',
}

const problemsOf = (options: object): readonly string[] => {
  try {
    completeSettings({ issuer: 'https://auth.example.com', ...options })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

t.test('LDAP_URL names a directory, its port, and how TLS begins', async (t) => {
  const read = (ldap_url: string, ldap_tls: 'required' | 'off' = 'required') =>
    readDirectoryServer({ ldap_url, ldap_tls })
  t.same(read('ldaps://ldap.example.com'), { host: 'ldap.example.com', port: 636, tls: 'implicit' })
  t.same(read('ldap://ldap.example.com/'), { host: 'ldap.example.com', port: 389, tls: 'starttls' })
  t.same(read('ldap://[::1]:1389', 'off'), { host: '::1', port: 1389, tls: 'none' })
})

t.test('settings of a directory that cannot work, or show passwords, are refused', async (t) => {
  t.same(problemsOf(WORKS), [])
  t.same(problemsOf({ ...WORKS, sign_in: 'password,directory' }), [])
  t.same(problemsOf({ sign_in: 'directory' }), [
    'sign_in is directory, which needs ldap_url',
    'sign_in is directory, which needs ldap_base_dn',
  ])
  t.match(problemsOf({ ...WORKS, sign_up: 'open', smtp_url: 'smtp://h', mail_from: 'a@example.com' }), [
    /^sign_up is open, but nobody could sign in/,
  ])
  const form = 'ldap_url must be ldaps://host:636 or ldap://host:389, without user, path and query'
  for (const ldap_url of [
    'ldap.example.com',
    'https://h',
    'ldaps://',
    'ldaps://user:secret@h',
    'ldaps://h/dc=example',
    'ldaps://h?x',
    'ldaps://h:0',
    'ldapi:///run/ldapi',
  ])
    t.same(problemsOf({ ...WORKS, ldap_url }), [form], ldap_url)
  const plain = { ...WORKS, ldap_tls: 'off' }
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    t.same(problemsOf({ ...plain, ldap_url: `ldap://${host}` }), [], host)
  for (const host of ['ldap.example.com', '10.0.0.1', 'localhost.example.com'])
    t.same(problemsOf({ ...plain, ldap_url: `ldap://${host}` }), [
      'ldap_tls must be required: without TLS a directory is asked on loopback only',
    ])
  t.same(problemsOf(plain), ['ldap_tls is off, but ldap_url is ldaps: remove one of the two'])
  t.same(problemsOf({ ...WORKS, ldap_bind_dn: 'cn=x' }), ['ldap_bind_dn needs ldap_bind_password: set both'])
  t.same(problemsOf({ ...WORKS, ldap_bind_password: 'x' }), [
    'ldap_bind_password needs ldap_bind_dn: set both',
  ])
})

t.test('what is read of people has the form of names', async (t) => {
  t.match(problemsOf({ ...WORKS, ldap_user_filter: '(uid=alice)' }), [/must have \{username\}/])
  for (const field of ['ldap_username_attribute', 'ldap_id_attribute', 'ldap_group_attribute'])
    t.same(problemsOf({ ...WORKS, [field]: 'uid)(x' }), [
      `${field} must be the name of an attribute, such as uid`,
    ])
  const claims = (ldap_claims: string) => problemsOf({ ...WORKS, ldap_claims }).join()
  t.equal(claims('name=cn;staff_id=employeeNumber'), '')
  for (const malformed of ['name', 'name=', '=cn', 'name=cn;name=sn', 'name=c n', ''])
    t.match(claims(malformed), /must be claim=attribute/, malformed)
  t.match(claims('groups=memberOf'), /LDAP_GROUP_ATTRIBUTE/)
  t.match(claims('email_verified=x'), /LDAP_EMAIL_VERIFIED/)
  for (const name of ['sub', 'iss', 'password_hash', 'disabled', 'a b'])
    t.match(claims(`${name}=cn`), /which/, name)
  t.match(problemsOf({ ...WORKS, ldap_groups: 'admins' }), [/must be group=name/])
  t.same(
    [...(readPairs('a=cn=x,ou=y;b = z') ?? [])],
    [
      ['a', 'cn=x,ou=y'],
      ['b', 'z'],
    ],
  )
})
