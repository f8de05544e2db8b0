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
const OWN_NODE = `${ROOT}node_modules/node/bin/node`
if (major < 22 || (major === 22 && minor < 18)) {
  if (isCheckout && existsSync(OWN_NODE)) startByOwnNode()
  else {
    const mend = isCheckout ? 'Run `npm ci` here, which brings one.' : 'Install a newer Node.'
    process.stderr.write(`svc needs Node 22.18 or newer; this is ${process.versions.node}. ${mend}\n`)
    process.exitCode = 1
  }
} else {
  // A server compiles what it runs when it first does: the cache, and all that it holds, would be 10 MB for good.
  if (process.argv[2] === 'serve') require('node:v8').setFlagsFromString('--max-lazy')
  else enableCompileCache()
  void start()
}

/** In a checkout by the Node that `npm ci` brought. It gets the signals of this process, and ends it as it ended. */
function startByOwnNode() {
  const { spawn } = require('node:child_process')
  const child = spawn(OWN_NODE, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    process.stderr.write(`svc: ${OWN_NODE} can't be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('close', (code, signal) => {
    if (signal === null) process.exitCode = code
    else {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
}

async function start() {
  if (!isCheckout && !existsSync(`${ROOT}dist/cli/main.cjs`)) {
    const { install } = require('../package.json').config
    process.stderr.write(
      `svc: this package was installed without being built; install the file that \`npm pack\` makes: ${install}\n`,
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
