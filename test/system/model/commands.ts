// The calls as fast-check's commands: one by one, several at once, and time between them.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Attempt, UNIT } from './attempt.ts'
import { authorize, redeem, redeemAgain, redeemRightly } from './code-attempts.ts'
import { compare } from './compare.ts'
import type { Run } from './run.ts'
import {
  endGrant,
  refresh,
  refreshAgain,
  revokeGrant,
  revokeToken,
  saveRevokedToken,
  saveToken,
} from './token-attempts.ts'
import type { World } from './world.ts'

/** Milliseconds beside whole units, so that what ends after a unit is over when a unit has passed. */
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

/** Makes calls in this order, none waiting for another's answer, and checks the answers. */
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
  .array(
    fc.oneof(
      { weight: 4, arbitrary: refresh },
      { weight: 2, arbitrary: refreshAgain },
      ...[redeem, redeemAgain, saveToken, revokeToken, revokeGrant, endGrant],
    ),
    { minLength: 2, maxLength: 4 },
  )
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

/** What a run begins with, so that there is something to talk about. */
export const opening = fc
  .tuple(authorize, redeemRightly)
  .map((attempts) =>
    command(attempts.map(({ text }) => text).join(', '), (run, world) => make(attempts, run, world)),
  )

/** Long runs, in which most calls are refreshes and families live for a while. */
export const commands = fc.commands(
  [
    ...[authorize, redeem, redeemAgain, saveToken, saveRevokedToken, revokeToken, revokeGrant, endGrant].map(
      one,
    ),
    ...[refresh, refresh, refresh, refresh, refresh, refresh, refreshAgain, refreshAgain, refreshAgain].map(
      one,
    ),
    ...[opening, opening, pass, pass, pass, atOnce],
  ],
  { maxCommands: 40, size: 'max' },
)
