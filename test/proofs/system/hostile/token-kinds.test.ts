// T7: every kind of token at every place that takes one. Only what a kind names counts; another one is refused by its type,
// its shape or its record (RFC 8725 §3.11).

import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { startCity } from '../../../support/token-kinds/city.ts'
import { KINDS } from '../../../support/token-kinds/kinds.ts'
import { PLACES, type PlaceName } from '../../../support/token-kinds/places.ts'

const NAMES = Object.keys(PLACES) as PlaceName[]

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`T7: each kind of token counts only where it is to, ${format}`, async (t) => {
    const city = await startCity(t, format)
    for (const [kind, { make, only, counts, as_jwt = [] }] of Object.entries(KINDS)) {
      if (only !== undefined && only !== format) continue
      const counted: string[] = []
      let token = await make(city)
      t.notMatch(token, /^(undefined)?$/, `${kind} is made`)
      for (const name of NAMES) {
        if (!(await PLACES[name](city, token))) continue
        counted.push(name)
        // What did not count used up nothing: otherwise a place that is listed misses it.
        token = await make(city)
      }
      const expected = [...counts, ...(format === 'jwt' ? as_jwt : [])]
      t.strictSame(counted.toSorted(), expected.toSorted(), kind)
    }
  })
}
