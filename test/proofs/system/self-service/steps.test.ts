// D5: every step of every flow is refused when it is posted empty, out of order, twice, in two tabs, or with the proof of
// another step, account, browser or purpose. The rows are in steps.ts.
import t, { type Test } from 'tap'
import type { Who } from '../../../support/self-service/flows.ts'
import { type Fields, type Place, startPlace } from '../../../support/self-service/place.ts'
import { formOf, STEPS, type Step, withProof } from '../../../support/self-service/steps.ts'
import type { Visitor } from '../../../support/visitor.ts'

/** Fields that need not be there: what scripts fill in, and a tick. */
// What codes says is only for the file with them.
const OPTIONAL = ['codes', 'credential', 'passkeys', 'others']

/** Somebody at the page of a step. */
async function arrived(place: Place, step: Step, who: Who = 'alice', browser = place.visitor()) {
  const page = await step.arrive(place, browser, who)
  const answer = await step.answer(place, who, page)
  const form = formOf(step, page, answer)
  return {
    browser,
    page,
    answer,
    form,
    post: (fields: Fields, path = step.path) => browser.post(path, fields),
  }
}

/** Checks that something counts for nobody, and changes nothing. */
async function refused(
  t: Test,
  place: Place,
  step: Step,
  what: string,
  act: () => Promise<unknown>,
  of: Visitor,
) {
  const [state, count] = [await place.state(), await step.counted(place, 'alice', of)]
  await act()
  t.equal(await place.state(), state, what)
  t.equal(await step.counted(place, 'alice', of), count, what)
}

/** Checks that what was refused so far was refused for its own reason: complete, it counts. */
async function counts(
  t: Test,
  place: Place,
  step: Step,
  { browser, form, post }: Awaited<ReturnType<typeof arrived>>,
) {
  const before = await step.counted(place, 'alice', browser)
  await post(form)
  t.equal(await step.counted(place, 'alice', browser), before + 1, 'complete, it counts')
}

for (const step of STEPS) {
  t.test(`D5 ${step.name}`, async (t) => {
    t.test('posted empty, or without a field', async (t) => {
      const place = await startPlace(t, step.place)
      const { form, answer } = await arrived(place, step)
      const needed = Object.keys(form).filter(
        (name) =>
          !step.may_be_empty?.includes(name) &&
          (!OPTIONAL.includes(name) || (name in answer && name !== 'others')),
      )
      t.ok(needed.includes('csrf'))
      let here = await arrived(place, step)
      for (const missing of needed) {
        for (const value of [undefined, '']) {
          const fields = { ...here.form, [missing]: value }
          await refused(t, place, step, `${missing} ${value}`, () => here.post(fields), here.browser)
        }
        // Anew now and then: guesses are limited.
        if (step.proves !== undefined) here = await arrived(place, step)
      }
      const whole = await arrived(place, step)
      await refused(t, place, step, 'nothing at all', () => whole.post({}), whole.browser)
      const asked = `${step.path}?${new URLSearchParams(form as Record<string, string>)}`
      await refused(t, place, step, 'by GET', () => whole.browser.request('GET', asked), whole.browser)
      await counts(t, place, step, await arrived(place, step))
    })

    t.test('out of order', async (t) => {
      const place = await startPlace(t, step.place)
      const here = await arrived(place, step)
      const { csrf: _, ...without } = here.form
      const stranger = place.visitor()
      for (const fields of [here.answer, without, here.form])
        await refused(
          t,
          place,
          step,
          'the page was never opened',
          () => stranger.post(step.path, fields),
          stranger,
        )
      const begun = place.visitor()
      const first = await place.signInPage(begun)
      if (step.form !== 'sign-in') {
        const fields = { ...first.hidden, ...here.answer }
        await refused(t, place, step, 'at the first step', () => begun.post(step.path, fields), begun)
      }
      await counts(t, place, step, here)
    })

    t.test('twice, and at the same time', async (t) => {
      const place = await startPlace(t, step.place)
      const { browser, form, post } = await arrived(place, step)
      const cookies = new Map(browser.cookies)
      const before = await step.counted(place, 'alice', browser)
      await Promise.all([post(form), post(form)])
      const at_once = (await step.counted(place, 'alice', browser)) - before
      t.ok(at_once === 1 || step.repeats, `${at_once} times`)
      if (step.repeats) return
      const state = await place.state()
      await post(form)
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      await post(form)
      t.equal(await place.state(), state, 'with all that it had before')
    })

    t.test('in two tabs', async (t) => {
      const place = await startPlace(t, step.place)
      const browser = place.visitor()
      const older = await arrived(place, step, 'alice', browser)
      const newer = await arrived(place, step, 'alice', browser)
      const before = await step.counted(place, 'alice', browser)
      await newer.post({ ...newer.form, ...older.answer })
      await older.post(older.form)
      const counted = (await step.counted(place, 'alice', browser)) - before
      t.ok(counted <= 1 || step.repeats, `one proof counts ${counted} times`)
    })

    t.test('with the proof of another account or browser', async (t) => {
      const place = await startPlace(t, step.place)
      const alice = await arrived(place, step)
      const bob = await arrived(place, step, 'bob')
      const stranger = place.visitor()
      await refused(t, place, step, 'in a new browser', () => stranger.post(step.path, alice.form), stranger)
      await refused(t, place, step, 'in the browser of another', () => bob.post(alice.form), bob.browser)
      const crossed = { ...alice.form, csrf: bob.form.csrf }
      await refused(
        t,
        place,
        step,
        'with the form of another browser',
        () => alice.post(crossed),
        alice.browser,
      )
      if (step.proves !== undefined && !step.names_account) {
        const of_bob = withProof(step, alice.form, step, bob.answer)
        await refused(t, place, step, 'with the proof of another', () => alice.post(of_bob), alice.browser)
      }
      await counts(t, place, step, await arrived(place, step))
    })

    t.test('with the proof of another step or purpose', async (t) => {
      const { title } = (await arrived(await startPlace(t, step.place), step)).page
      for (const other of othersOf(step)) {
        const place = await startPlace(t, step.place)
        const browser = place.visitor()
        // Before: what it leaves in the browser is there, too.
        const there = await arrived(place, other, 'alice', browser)
        const here = await arrived(place, step, 'alice', browser)
        // What the other one left behind may lead elsewhere, such as to a code.
        if (here.page.title !== title) continue
        const its_form = formOf(other, there.page, here.answer)
        // A step without an answer of its own is all in its form.
        if (Object.keys(there.answer).length > 0)
          await refused(t, place, step, `the form of ${other.name}`, () => here.post(its_form), browser)
        if (step.proves === undefined || other.proves === undefined) continue
        const its_proof = withProof(step, here.form, other, there.answer)
        await refused(t, place, step, `the proof of ${other.name}`, () => here.post(its_proof), browser)
      }
    })
  })
}

/** One step for each other proof and form: its form and its answer are not those of this one. */
function othersOf(step: Step): readonly Step[] {
  const others = STEPS.filter(
    ({ form, proof, place }) =>
      place === step.place && form !== step.form && proof !== step.proof && proof !== step.takes,
  )
  return others.filter(
    ({ form, proof }, index) =>
      others.findIndex((other) => other.proof === proof || other.form === form) === index,
  )
}
