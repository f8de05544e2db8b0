#!/usr/bin/env node
// Starts the command line. A checkout runs src/ as it stands, so a stale dist/ can never hide an edit;
// an installed package has only dist/.
import { existsSync } from 'node:fs'
// As a whole: a Node too old to have enableCompileCache must get as far as the message below.
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
const source = new URL('../src/cli/main.ts', import.meta.url)
const fromSource = existsSync(source)
const [needMajor, needMinor] = fromSource ? [22, 18] : [22, 15]
if (major < needMajor || (major === needMajor && minor < needMinor)) {
  process.stderr.write(
    `svc needs Node ${needMajor}.${needMinor} or newer; this is ${process.versions.node}. ` +
      (fromSource ? 'In a checkout use `npx svc`, which brings its own Node.\n' : 'Install a newer Node.\n'),
  )
  process.exit(1)
}
module.enableCompileCache?.()
const { version } = module.createRequire(import.meta.url)('../package.json')
const entry = fromSource ? source : new URL('../dist/cli/main.js', import.meta.url)
const { main } = await import(entry.href)
process.exitCode = await main(process.argv.slice(2), version)
