#!/usr/bin/env node
'use strict'
// Starts the command line: an installed package has only dist/, a checkout both. There dist/ is run where it was built
// of src/ as it stands, since it starts sooner; after any edit src/ itself is. CommonJS, which every Node reads, and
// reads soonest.
const { existsSync, readFileSync, statSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { pathToFileURL } = require('node:url')

const ROOT = `${__dirname}/../`
const [major, minor] = process.versions.node.split('.').map(Number)
const source = `${ROOT}src/entry/main.ts`
const isCheckout = existsSync(source)
const [needMajor, needMinor] = isCheckout ? [22, 18] : [22, 15]
if (major < needMajor || (major === needMajor && minor < needMinor)) {
  process.stderr.write(
    `svc needs Node ${needMajor}.${needMinor} or newer; this is ${process.versions.node}. ` +
      (isCheckout ? 'In a checkout use `npx svc`, which brings its own Node.\n' : 'Install a newer Node.\n'),
  )
  process.exitCode = 1
} else {
  enableCompileCache()
  void start()
}

async function start() {
  if (!isCheckout && !existsSync(`${ROOT}dist/cli/main.cjs`)) {
    process.stderr.write(
      'svc: this package was installed without being built; install what `npm pack` makes in a checkout.\n',
    )
    process.exitCode = 1
    return
  }
  const fromSource = isCheckout && !isBuiltOfSource()
  const { main } = fromSource ? await import(pathToFileURL(source).href) : require('../dist/cli/main.cjs')
  process.exitCode = await main(process.argv.slice(2), require('../package.json').version)
}

/** Whether each file that dist/cli was built of is as it was then; tools/package.ts writes the list. */
function isBuiltOfSource() {
  try {
    const sources = JSON.parse(readFileSync(`${ROOT}dist/cli/sources.json`, 'utf8'))
    return sources.every(([path, size, changedAt]) => {
      const now = statSync(ROOT + path)
      return now.size === size && now.ctimeMs === changedAt
    })
  } catch {
    return false
  }
}
