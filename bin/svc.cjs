#!/usr/bin/env node
'use strict'
// Starts the command line. A checkout runs src/ as it stands, so a stale dist/ can never hide an edit;
// an installed package has only dist/. CommonJS, which every Node reads, and reads soonest.
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { pathToFileURL } = require('node:url')

const [major, minor] = process.versions.node.split('.').map(Number)
const source = `${__dirname}/../src/cli/main.ts`
const fromSource = existsSync(source)
const [needMajor, needMinor] = fromSource ? [22, 18] : [22, 15]
if (major < needMajor || (major === needMajor && minor < needMinor)) {
  process.stderr.write(
    `svc needs Node ${needMajor}.${needMinor} or newer; this is ${process.versions.node}. ` +
      (fromSource ? 'In a checkout use `npx svc`, which brings its own Node.\n' : 'Install a newer Node.\n'),
  )
  process.exitCode = 1
} else {
  enableCompileCache()
  void start()
}

async function start() {
  const { main } = fromSource ? await import(pathToFileURL(source).href) : require('../dist/cli/main.cjs')
  process.exitCode = await main(process.argv.slice(2), require('../package.json').version)
}
