import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { isLate, MAX_UNANSWERED, MAX_WAIT_MS, Turns } from '../../../plugins/turns.ts'

t.test('requests of one turn of the event loop are handled together at its end', async (t) => {
  const handled: IncomingMessage[] = []
  const turns = new Turns()
  const receive = turns.handle((request) => void handled.push(request))
  const exchanges = [new Socket(), new Socket(), new Socket()].map((socket) => {
    const request = new IncomingMessage(socket)
    return [request, new ServerResponse(request)] as const
  })
  for (const exchange of exchanges) receive(...exchange)
  t.same(handled, [], 'not while their bytes are read')
  t.equal(turns.unanswered, 3, 'a drain waits for them')
  await nextTurn()
  t.same(
    handled,
    exchanges.map(([request]) => request),
  )
})

t.test('a request is late by what others before it took, in its turn and on its connection', async (t) => {
  let clock = 0
  const cost = MAX_WAIT_MS / 4
  const seen: boolean[] = []
  const turns = new Turns(() => clock)
  const late: true[] = []
  turns.on('late', () => late.push(true))
  const responses: ServerResponse[] = []
  const receive = turns.handle((request, response) => {
    seen.push(isLate(request))
    responses.push(response)
    if (!isLate(request)) clock += cost
  })
  const send = (socket: Socket) => {
    const request = new IncomingMessage(socket)
    receive(request, new ServerResponse(request))
  }
  const sockets = Array.from({ length: 20 }, () => new Socket())
  for (const socket of sockets) send(socket)
  await nextTurn()
  t.same(seen, [...Array(5).fill(false), ...Array(15).fill(true)], 'the others are refused, and cost nothing')
  t.equal(late.length, 15)

  seen.length = 0
  responses.length = 0
  const patient = new Socket()
  for (let i = 0; i < MAX_UNANSWERED; i++) send(patient)
  await nextTurn()
  clock += MAX_WAIT_MS
  responses[0]?.emit('close')
  await nextTurn()
  t.same(seen, [false, true], 'of a connection too')
  send(new Socket())
  await nextTurn()
  t.equal(seen.at(-1), false, 'what arrives now is not')
})
