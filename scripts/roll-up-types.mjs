// Rolls the declarations of what the package exports up: one file for each export, and what they share.
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const [input = '', output = '', ...names] = process.argv.slice(2)
const types = await rollup({
  input: Object.fromEntries(names.map((name) => [name, `${input}/${name}.d.ts`])),
  external: /^[^./]/,
  plugins: [dts()],
  // A type that no export names is one that no user names.
  onwarn: ({ message, plugin }) => {
    if (plugin !== 'dts') throw new Error(message)
  },
})
await types.write({ dir: output, entryFileNames: '[name].d.ts', chunkFileNames: 'types-[hash].d.ts' })
