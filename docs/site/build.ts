// Makes the pages of the documentation: `npm run docs:site [-- --from <folder> --to <folder>]`. `--from` is another version
// of the repository, such as the work tree of a tag; `--to` may have versions already, and keeps them.
//
// It stands on markdown-it rather than on VitePress, whose 125 packages of 100 MB run an install script and make pages that
// need scripts; these are 8 packages of 4 MB, and only the search needs scripts.
import { parseArgs } from 'node:util'
import { makeSite } from './site.ts'

const { values } = parseArgs({
  options: { from: { type: 'string', default: '.' }, to: { type: 'string', default: 'docs/site/dist' } },
})
try {
  const { version, pages } = await makeSite(values.from, values.to)
  console.log(`${pages} pages of version ${version}: open ${values.to}/index.html`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
