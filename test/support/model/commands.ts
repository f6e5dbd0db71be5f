// The calls as fast-check commands: consecutive, concurrent, and with time between them.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Attempt, UNIT } from './attempt.ts'
import { authorize, redeem, redeemAgain, redeemRightly } from './code-attempts.ts'
import { compare } from './compare.ts'
import { derive, deriveAgain, endDerived, revokeJwt } from './derived-attempts.ts'
import { allow, answer, ask, poll, pollAgain, pollRightly, spend } from './question-attempts.ts'
import type { Run } from './run.ts'
import {
  endGrant,
  refresh,
  refreshAgain,
  revokeGrant,
  revokeToken,
  saveClientToken,
  saveRevokedToken,
} from './token-attempts.ts'
import type { World } from './world.ts'

/** Milliseconds beyond whole units, so that something with the lifetime of a unit is over after a unit. */
const MORE = 1000

type Command = fc.AsyncCommand<Run, World>

function command(text: string, act: (run: Run, world: World) => Promise<void>): Command {
  return {
    check: () => true,
    async run(run, world) {
      await act(run, world)
      await compare(run, world)
    },
    toString: () => text,
  }
}

/** Makes calls in this order without waiting for responses, and then checks the responses. */
async function make(attempts: readonly Attempt[], run: Run, world: World): Promise<void> {
  const calls = attempts.flatMap((attempt) => attempt.prepare(run, world.now()) ?? [])
  const answers = await Promise.all(calls.map(({ send }) => send(world.storage)))
  assert.deepEqual(
    answers,
    calls.map(({ expected }) => expected),
  )
}

const one = (attempt: fc.Arbitrary<Attempt>) =>
  attempt.map((attempt) => command(attempt.text, (run, world) => make([attempt], run, world)))

const atOnce = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: refresh },
        { weight: 2, arbitrary: refreshAgain },
        { weight: 2, arbitrary: derive },
        ...[redeem, redeemAgain, revokeToken, revokeGrant, endGrant, poll, pollAgain, spend, spend],
      ),
      { minLength: 2, maxLength: 4 },
    ),
    // Redis gets the tokens of clients of a turn last, so that one script writes them.
    fc.array(saveClientToken, { maxLength: 2 }),
  )
  .map((attempts) => attempts.flat())
  .map((attempts) =>
    command(`at once [${attempts.map(({ text }) => text).join(', ')}]`, (run, world) =>
      make(attempts, run, world),
    ),
  )

const pass = fc.constantFrom(0, 1, 1, 1, 2).map((units) =>
  command(`pass ${units} units`, async (run, world) => {
    const ms = units * UNIT * 1000 + MORE
    run.model.now += ms
    await world.pass(ms)
  }),
)

/** The first commands of a run, so that later ones have something to use. */
export const opening = fc
  .tuple(authorize, redeemRightly)
  .map((attempts) =>
    command(attempts.map(({ text }) => text).join(', '), (run, world) => make(attempts, run, world)),
  )

/** A question whose client has its tokens, so that others can spend them. */
const approval = fc.tuple(ask, allow, pollRightly).map((attempts) =>
  command(attempts.map(({ text }) => text).join(', '), async (run, world) => {
    // Records and families have no order among calls of one moment.
    for (const attempt of attempts) await make([attempt], run, world)
  }),
)

/** Long runs, in which most calls are refreshes and families live longer. */
export const commands = fc.commands(
  [
    ...[
      authorize,
      redeem,
      redeemAgain,
      saveClientToken,
      saveRevokedToken,
      revokeToken,
      revokeGrant,
      endGrant,
      derive,
      derive,
      derive,
      deriveAgain,
      endDerived,
      revokeJwt,
      ask,
      answer,
      answer,
      poll,
      poll,
      poll,
      pollAgain,
      spend,
    ].map(one),
    ...[refresh, refresh, refresh, refresh, refresh, refresh, refreshAgain, refreshAgain, refreshAgain].map(
      one,
    ),
    ...[opening, opening, approval, approval, pass, pass, pass, atOnce],
  ],
  { maxCommands: 40, size: 'max' },
)
