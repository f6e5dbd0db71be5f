// Who may change everything, and whether somebody can sign in as one of them.
import t from 'tap'
import { administratorFinding } from '../../../../../src/admin/doctor/administrators.ts'
import { completeSettings } from '../../../../../src/config/settings.ts'
import { createCli } from '../../../../support/cli/run-cli.ts'

t.test('the step that is missing is named with its command', async (t) => {
  const { storage, redmint } = createCli()
  const find = (admin_api: 'on' | 'off' = 'on') => {
    const settings = completeSettings({ issuer: 'https://auth.example.com', admin_api })
    return administratorFinding({ storage, settings })
  }
  t.match(await find('off'), { level: 'ok', finding: /ADMIN_API is off/ })
  t.match(await find(), {
    level: 'warning',
    finding: /^nobody may change/,
    advice: /^redmint admin create ada/,
  })
  await redmint(['admin', 'create', 'reader', '--scope', 'redmint:read'])
  t.match(await find(), { level: 'warning', finding: /^nobody may change/ }, 'who only reads does not count')
  await redmint(['admin', 'create', 'ada'])
  t.match(await find(), {
    level: 'warning',
    finding: /there is ada, and nobody can sign in/,
    advice: 'Nobody can sign in as ada yet: redmint user reset-link ada.',
  })
  await redmint(['user', 'add', 'bob', '--password-stdin'], 'seven wet umbrellas at noon')
  await redmint(['admin', 'grant', 'bob'])
  t.match(await find(), { level: 'warning', finding: 'one of them has no way to sign in: ada' })
  await redmint(['user', 'set-password', 'ada', '--password-stdin'], 'seven wet umbrellas at noon')
  t.match(await find(), { level: 'ok', finding: 'somebody can sign in as ada, bob' })
  await redmint(['user', 'disable', 'ada'])
  t.match(await find(), { level: 'ok', finding: 'somebody can sign in as bob' })
})
