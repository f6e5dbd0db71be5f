// Why a request was refused, as a title: each reason has one, without the names of parameters.
import t from 'tap'
import { REASONS, type Reason } from '../../../../src/core/reasons.ts'
import { titleOf } from '../../../../src/explain/titles.ts'

t.test('no title has the name of a parameter or a field, or ends as a sentence', async (t) => {
  for (const reason of Object.keys(REASONS) as Reason[])
    for (const title of [titleOf(reason, {}), titleOf(reason, { client: 'Shop', person: 'Anna' })]) {
      t.match(title, /^\p{Lu}/u, `${reason}: ${title}`)
      t.notMatch(title, /[a-z]_[a-z]|\{|\.$/, `${reason}: ${title}`)
    }
})

t.test('a name is taken as it is', async (t) => {
  t.equal(
    titleOf('redirect_uri_unregistered', { client: '$& redirect_uri' }),
    '$& redirect_uri sent a redirect URI that is not registered',
  )
  t.match(titleOf('access_by_group', { client: 'payroll', person: 'ada' }), /^ada is in none/)
})
