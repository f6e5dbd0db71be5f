import t from 'tap'
import { areWithin } from '../../../../src/details/narrow-details.ts'
import type { Detail } from '../../../../src/details/read-details.ts'
import { readSchema } from '../../../../src/details/schema.ts'
import { PAYMENT_SCHEMA } from '../../../support/details.ts'

const read = readSchema(
  JSON.stringify({
    ...PAYMENT_SCHEMA,
    properties: {
      ...PAYMENT_SCHEMA.properties,
      account: { type: 'integer' },
      limits: { type: 'object', properties: { day: { type: 'number', narrow: 'less' } } },
    },
  }),
)
const within = (asked: readonly Detail[], granted: readonly Detail[]) =>
  areWithin(asked, granted, (type) => ('schema' in read && type === 'payment' ? read.schema : undefined))

const A = { type: 'payment', amount: 10, creditor: 'A', account: 7, actions: ['initiate', 'status'] }
const B = { ...A, creditor: 'B' }

t.test('T21: narrower details are within those that were granted, and nothing else', async (t) => {
  const { actions: _, ...without_actions } = A
  for (const [name, asked, granted, is_within] of [
    ['the same', [A], [A], true],
    [
      'in another order of members',
      [{ actions: A.actions, account: 7, creditor: 'A', amount: 10, type: 'payment' }],
      [A],
      true,
    ],
    ['fewer objects', [B], [A, B], true],
    ['in another order', [B, A], [A, B], true],
    ['one more', [A, B], [A], false],
    ['one twice', [A, A], [A], false],
    [
      'two parts of one',
      [
        { ...A, amount: 4 },
        { ...A, amount: 5 },
      ],
      [A],
      false,
    ],
    ['none of none', [A], [], false],
    ['fewer actions', [{ ...A, actions: ['status'] }], [A], true],
    ['no actions', [{ ...A, actions: [] }], [A], false],
    ['actions left out', [without_actions], [A], false],
    ['actions where there were none', [A], [without_actions], false],
    ['another action', [{ ...A, actions: ['cancel'] }], [A], false],
    ['less', [{ ...A, amount: 9.5 }], [A], true],
    ['more', [{ ...A, amount: 11 }], [A], false],
    ['a lower number that is a name', [{ ...A, account: 6 }], [A], false],
    ['another text', [{ ...A, creditor: 'C' }], [A], false],
    ['another type', [{ ...A, type: 'other' }], [A], false],
    ['less within an object', [{ ...A, limits: { day: 1 } }], [{ ...A, limits: { day: 2 } }], true],
    ['more within an object', [{ ...A, limits: { day: 3 } }], [{ ...A, limits: { day: 2 } }], false],
    ['a member less within an object', [{ ...A, limits: {} }], [{ ...A, limits: { day: 2 } }], false],
    [
      'the one that fits both goes to the other',
      [
        { ...A, amount: 10 },
        { ...A, amount: 20 },
      ],
      [{ ...A, amount: 20 }, A],
      true,
    ],
  ] as const)
    t.equal(within(asked as readonly Detail[], granted as readonly Detail[]), is_within, name)
})
