// The walks of docs/acting.md, from an empty folder to an API and agents that act for a person, here and at another company.
import t from 'tap'
import { freePort } from '../../support/process.ts'
import { prepareSteps } from '../../support/steps-of-page.ts'

t.setTimeout(300_000)

t.test('APIs and agents act for a person, until that ends', async (t) => {
  const ports = await Promise.all(
    [3000, 3001, 3002, 3003, 3004, 3005, 3006].map(async (port) => [port, await freePort()] as const),
  )
  const issuer = ports[0]?.[1]
  const { steps, step } = await prepareSteps(t, 'docs/acting.md', [
    ...ports.map(([port, own]) => [new RegExp(`\\b${port}\\b`, 'g'), String(own)] as const),
    [/^npx redmint serve/gm, `PORT=${issuer} npx redmint serve`],
  ])
  t.equal(steps, 4)
  for (const number of [1, 2, 3, 4]) await step(number)
})
