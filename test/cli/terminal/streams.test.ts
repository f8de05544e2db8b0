import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../../src/runtime/root.ts'

const PART = 'a line, längere Zeile\n'.repeat(400)
const PARTS = 20
const ALL = Array.from({ length: PARTS }, (_, part) => `${part} ${PART}`).join('')

/** A program that writes to its standard output as a command does, after `before`. */
function program(before = ''): string[] {
  return [
    '--input-type=module',
    '-e',
    `import { writeSync } from 'node:fs'
    import { output } from ${JSON.stringify(new URL('src/cli/terminal/io.ts', ROOT).href)}
    ${before}
    let opened = 0
    const { write } = output(1, () => (opened++, process.stdout), error => process.stderr.write(error.code))
    for (let part = 0; part < ${PARTS}; part++) write(part + ${JSON.stringify(` ${PART}`)})
    write('')
    process.stderr.write(String(opened))`,
  ]
}

test('what is more than a pipe holds arrives whole and in order, through a stream that is opened once', () => {
  const { stdout, stderr } = spawnSync(process.execPath, program(), { encoding: 'utf8' })
  expect(stdout).toBe(ALL)
  expect(stderr).toBe('1')
})

test('a file gets the same, after what stands in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  try {
    const file = join(folder, 'out')
    const fd = openSync(file, 'a')
    spawnSync(process.execPath, ['-e', 'process.stdout.write("first\\n")'], {
      stdio: ['ignore', fd, 'inherit'],
    })
    const { stderr } = spawnSync(process.execPath, program(), {
      stdio: ['ignore', fd, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(fd)
    expect(readFileSync(file, 'utf8')).toBe(`first\n${ALL}`)
    expect(stderr).toBe('1')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a pipe that is full and does not wait is written to when it is read again', () => {
  const fill = `
    process.stdout
    let filled = 0
    for (;;) {
      try {
        filled += writeSync(1, '.')
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error
        break
      }
    }`
  const shown = execFileSync(process.execPath, program(fill), { encoding: 'utf8', maxBuffer: 1e7 })
  expect(shown.replace(/^\.+/, '')).toBe(ALL)
})
