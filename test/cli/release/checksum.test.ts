import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { releaseOf } from '../../support/services/builders.ts'
import { findBundle, readCanonical } from '../../../src/cli/release/bundle.ts'
import { type Workspace, makeWorkspace } from '../../support/processes/cli.ts'

const RELEASE = JSON.stringify(releaseOf())

type Content = string | Uint8Array
/** Files of a bundle in the order of the checksum, and as it feeds them: text with LF. */
type Canonical = readonly (readonly [path: string, content: Content])[]

/** The specification's words: path, NUL, bytes, NUL for each file; lowercase hex. */
function digestOf(files: Canonical): string {
  const nul = Buffer.of(0)
  const parts = files.flatMap(([path, content]) => [Buffer.from(path), nul, Buffer.from(content), nul])
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex')
}

/** Registers a bundle and returns the checksum that the ledger has for it. */
async function checksumOf({ svc, ok }: Workspace, path: string): Promise<string> {
  const { code, stdout, stderr } = await svc('release', 'register', path)
  if (code !== 0) throw new Error(stderr)
  const record = JSON.parse(await ok('release', 'show', stdout.trim())) as { checksum: string }
  return record.checksum
}

/** A workspace with a folder `bundle` that holds these files and a release.yaml. */
function bundleWith(files: Readonly<Record<string, Content>>): Workspace {
  const workspace = makeWorkspace({})
  workspace.write('bundle/release.yaml', RELEASE)
  for (const [path, content] of Object.entries(files)) workspace.write(`bundle/${path}`, content)
  return workspace
}

const CRLF = 'one\r\ntwo\rthree\r\r\nfour\n'
const LF = 'one\ntwo\nthree\n\nfour\n'
const BOM = '\uFEFF'
const LATIN1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0d, 0x0a)

describe.concurrent('the checksum of a bundle', () => {
  test('normalises line ends of text suffixes, whatever their case, and of nothing else', async () => {
    const text = ['md', 'yaml', 'yml', 'txt', 'json', 'csv', 'toml', 'MD', 'Yaml', 'TXT']
    const other = ['bin', 'py', 'md5', 'txt~', 'jsonl', 'htm']
    const names = (suffixes: string[]): string[] => suffixes.map(suffix => `f.${suffix}`)
    const raw = [...names(other), 'README', 'md', 'a.txt/data', '.gitignore', 'x.git', '.md', 'deep/er/.json']
    const normalised = [...names(text), 'two.bin.md', 'deep/er/f.json']
    const contents = Object.fromEntries([...raw, ...normalised].map(name => [name, CRLF]))
    const expected = [
      ...raw.map(name => [name, CRLF] as const),
      ...normalised.map(name => [name, LF] as const),
    ]
    const files = [...expected, ['release.yaml', RELEASE] as const].toSorted(([a], [b]) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    )
    expect(await checksumOf(bundleWith(contents), 'bundle')).toBe(digestOf(files))
  })

  test('keeps a byte order mark, and text that is not valid UTF-8 as it is', async () => {
    const workspace = bundleWith({
      'bom.md': `${BOM}a\r\n`,
      'cut.json': Uint8Array.of(0x22, 0xe2, 0x82, 0x0d, 0x0a),
      'empty.txt': '',
      'latin1.csv': LATIN1,
      'nul.txt': 'a\0b\r\n',
      'zeros.bin': new Uint8Array(70_000),
    })
    expect(await checksumOf(workspace, 'bundle')).toBe(
      digestOf([
        ['bom.md', `${BOM}a\n`],
        ['cut.json', Uint8Array.of(0x22, 0xe2, 0x82, 0x0d, 0x0a)],
        ['empty.txt', ''],
        ['latin1.csv', LATIN1],
        ['nul.txt', 'a\0b\n'],
        ['release.yaml', RELEASE],
        ['zeros.bin', new Uint8Array(70_000)],
      ]),
    )
  })

  test('sorts whole paths by code point', async () => {
    // In UTF-16 the astral 𝒳 would sort before U+FF5E; folder by folder, a/b would come before a-b.
    const paths = [
      'A', 'a b', 'a-b', 'a.md', 'a/b', 'a/b.md', 'a0', 'release.yaml', 'z',
      'e\u0301', 'é', 'ü/x y', '日本', '\uFF5E', '𝒳', '😀/ok',
    ] // prettier-ignore
    const files = Object.fromEntries(paths.filter(path => path !== 'release.yaml').map(path => [path, path]))
    const inOrder = paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(inOrder.slice(-3)).toEqual(['\uFF5E', '𝒳', '😀/ok'])
    expect(inOrder.slice(1, 5)).toEqual(['a b', 'a-b', 'a.md', 'a/b'])
    expect(await checksumOf(bundleWith(files), 'bundle')).toBe(
      digestOf(inOrder.map(path => [path, path === 'release.yaml' ? RELEASE : path])),
    )
  })

  test('leaves out .git, __pycache__ and symlinks, at any depth', async () => {
    const workspace = bundleWith({
      '.git/config': 'x',
      'sub/.git/objects/aa': 'x',
      'sub/__pycache__/m.pyc': 'x',
      'sub/.gitkeep': '',
      'sub/__pycache__x': 'kept',
      // Plain files of those names, as worktrees and submodules have them.
      'module/.git': 'gitdir: ../.git',
      'module/__pycache__': 'x',
    })
    const { path, folder } = workspace
    workspace.write('outside/secret.md', 'x')
    symlinkSync(path('outside/secret.md'), path('bundle/link.md'))
    symlinkSync(path('outside'), path('bundle/linked'))
    symlinkSync('..', path('bundle/sub/up'))
    symlinkSync('nowhere', path('bundle/dangling'))
    mkdirSync(path('bundle/empty'))
    const expected = digestOf([
      ['release.yaml', RELEASE],
      ['sub/.gitkeep', ''],
      ['sub/__pycache__x', 'kept'],
    ])
    expect(await checksumOf(workspace, 'bundle')).toBe(expected)
    // The bundle itself may be reached through a symlink, and with any spelling of its path.
    symlinkSync(path('bundle'), path('alias'))
    for (const spelling of ['alias', 'alias/', './bundle/../bundle', `${folder}/bundle`]) {
      expect(await checksumOf(workspace, spelling)).toBe(expected)
    }
  })

  test('of a single file is over that file alone, below its own folder', async () => {
    const workspace = bundleWith({ 'prompt.md': 'not part of it' })
    workspace.write('bundle/My Release.YAML', `${RELEASE}\r\n`)
    expect(await checksumOf(workspace, 'bundle/release.yaml')).toBe(digestOf([['release.yaml', RELEASE]]))
    expect(await checksumOf(workspace, 'bundle/My Release.YAML')).toBe(
      digestOf([['My Release.YAML', `${RELEASE}\n`]]),
    )
  })

  test('is the same for a checkout with Windows line ends', async () => {
    const { write, svc, ok } = bundleWith({ 'prompts/a.md': LF })
    const id = await ok('release', 'register', 'bundle')
    write('windows/release.yaml', RELEASE)
    write('windows/prompts/a.md', LF.replaceAll('\n', '\r\n'))
    expect((await svc('release', 'verify', id, '--path', 'windows')).code).toBe(0)
    write('windows/prompts/A.md', '')
    expect((await svc('release', 'verify', id, '--path', 'windows')).code).toBe(2)
  })

  test('with texts is only of what is kept, said before anything is sent', async () => {
    const { path } = bundleWith({
      'a.md': CRLF,
      'pad.csv': 'x'.repeat(1_000_000),
      'logo.bin': '\0'.repeat(2_000_000),
    })
    const bundle = await findBundle(path('bundle'))
    const sizes = 1_000_000 + LF.length + RELEASE.length
    await expect(readCanonical(bundle, { withTexts: true })).rejects.toThrow(
      `The texts of the bundle have ${sizes} bytes; at most 1000000 are kept. Leave out --store-files.`,
    )
    const paths = bundle.paths.filter(name => name !== 'pad.csv')
    const { files } = await readCanonical({ ...bundle, paths }, { withTexts: true })
    expect(Array.from(files, ([name, { text }]) => [name, text])).toEqual([
      ['a.md', LF],
      ['logo.bin', undefined],
      ['release.yaml', RELEASE],
    ])
  })

  test('needs a release.yaml that is a file, and names that are UTF-8', async () => {
    const { write, path, svc } = makeWorkspace({})
    write('linked/real.yaml', RELEASE)
    symlinkSync('real.yaml', path('linked/release.yaml'))
    expect((await svc('release', 'register', 'linked')).stderr).toMatch(
      /^svc: There is no release\.yaml in \S*linked but a symlink, which is left out of a bundle\.\n$/,
    )
    write('odd/sub/page.md', '')
    expect((await svc('release', 'register', 'odd')).stderr).toMatch(
      /^svc: There is no release\.yaml in \S*odd\.\n$/,
    )
    write('odd/release.yaml', RELEASE)
    try {
      writeFileSync(Buffer.concat([Buffer.from(path('odd/')), Buffer.of(0xff), Buffer.from('.md')]), '')
    } catch {
      return // This file system has no such names.
    }
    const odd = await svc('release', 'register', 'odd')
    expect(odd.code).toBe(1)
    expect(odd.stderr).toMatch(/^svc: .*the file name is not valid UTF-8; rename it\.\n$/)
  })
})
