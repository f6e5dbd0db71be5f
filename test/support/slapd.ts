// A real slapd of OpenLDAP for tests: on loopback, with a temporary folder of its own, ldap with StartTLS and ldaps.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { CN, der, issue, name, SAN } from './certificates.ts'
import { freePort, type Program, run } from './process.ts'
import { until } from './until.ts'

const start = promisify(execFile)

export const BASE = 'dc=example,dc=com'
const MANAGER = { dn: `cn=manager,${BASE}`, password: 'the password of the manager' }
/** Who looks for people. */
export const READER = { dn: `cn=reader,ou=services,${BASE}`, password: 'the password of the reader' }

/** The people and groups, as LDIF. */
const PEOPLE = `
dn: ${BASE}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,${BASE}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${BASE}
objectClass: organizationalUnit
ou: groups

dn: ou=services,${BASE}
objectClass: organizationalUnit
ou: services

dn: ${READER.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${READER.password}

dn: uid=carol,ou=people,${BASE}
objectClass: inetOrgPerson
uid: carol
cn: Carol Müller
givenName: Carol
sn: Müller
mail: carol@example.com
userPassword: carols password

dn: uid=dave,ou=people,${BASE}
objectClass: inetOrgPerson
uid: dave
cn: Dave
sn: Dave
mail: dave@example.com
userPassword: daves password

dn: cn=Erin\\2C (star *),ou=people,${BASE}
objectClass: inetOrgPerson
uid: erin*
cn: Erin, (star *)
sn: Erin
userPassword: erins password

dn: cn=twin one,ou=people,${BASE}
objectClass: inetOrgPerson
uid: twin
cn: twin one
sn: Twin
userPassword: twins password

dn: cn=twin two,ou=people,${BASE}
objectClass: inetOrgPerson
uid: twin
cn: twin two
sn: Twin
userPassword: twins password

dn: cn=admins,ou=groups,${BASE}
objectClass: groupOfNames
cn: admins
member: uid=carol,ou=people,${BASE}

dn: cn=staff,ou=groups,${BASE}
objectClass: groupOfNames
cn: staff
member: uid=carol,ou=people,${BASE}
member: uid=dave,ou=people,${BASE}

dn: ou=elsewhere,${BASE}
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:1/ou=elsewhere,${BASE}
`

/** A directory that runs. */
export interface Slapd {
  readonly port: number
  readonly tls_port: number
  /** The file of the authority of its certificate. */
  readonly ca_file: string
  /** The file of another authority. */
  readonly other_ca_file: string
  /** Changes it, as LDIF (RFC 2849). */
  modify(ldif: string): Promise<void>
  /** Ends the process, and starts another one with the same people. */
  restart(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts a directory with PEOPLE. @param names of its certificate; default: localhost */
export async function startSlapd(t: Test, names: readonly string[] = ['localhost']): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-slapd-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  const [port, tls_port] = [await freePort(), await freePort()]
  const authority = issue({ subject: name([CN, 'Tests']), is_authority: true })
  const other = issue({ subject: name([CN, 'Others']), is_authority: true })
  const server = issue(
    { subject: name([CN, 'slapd']), names: names.map((one) => der(SAN.dns, Buffer.from(one))) },
    authority,
  )
  const file = async (file_name: string, text: string) => {
    await writeFile(join(folder, file_name), text)
    return join(folder, file_name)
  }
  const ca_file = await file('ca.pem', authority.pem)
  const other_ca_file = await file('other.pem', other.pem)
  await mkdir(join(folder, 'db'))
  const config = await file(
    'slapd.conf',
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${join(folder, 'pid')}
TLSCertificateFile ${await file('cert.pem', server.pem)}
TLSCertificateKeyFile ${await file('key.pem', server.key_pem)}
database mdb
suffix "${BASE}"
rootdn "${MANAGER.dn}"
rootpw "${MANAGER.password}"
directory ${join(folder, 'db')}
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${READER.dn}" read by * none
`,
  )
  let running: Program | undefined
  const launch = async () => {
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tls_port}/`
    running = run(t, 'slapd', ['-f', config, '-h', urls, '-d', '0'], {})
    await until('slapd listens', () => connects(port))
  }
  const stop = async () => {
    await running?.stop()
  }
  const change = async (ldif: string, ...more: string[]) => {
    const changes = await file('change.ldif', ldif)
    const { dn, password } = MANAGER
    const as = ['-x', '-H', `ldap://127.0.0.1:${port}`, '-D', dn, '-w', password]
    await start('ldapmodify', [...as, '-M', '-f', changes, ...more])
  }
  await launch()
  await change(PEOPLE, '-a')
  return {
    port,
    tls_port,
    ca_file,
    other_ca_file,
    stop,
    start: launch,
    async restart() {
      await stop()
      await launch()
    },
    modify: (ldif) => change(ldif),
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
