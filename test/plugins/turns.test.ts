import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { Turns } from '../../plugins/turns.ts'

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
