import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reply } from '../http/message.ts'

const FOLDER = fileURLToPath(new URL('../../dist/web/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * Serves the files of the pages from memory. The folder is listed once; only what was listed is ever read, so no
 * path leads out of it.
 */
export function assetServer(folder = FOLDER): (path: string) => Promise<Reply | undefined> {
  let listed: Promise<ReadonlySet<string>> | undefined
  const replies = new Map<string, Promise<Reply>>()
  return async function asset(path) {
    listed ??= listFiles(folder)
    if (!(await listed).has(path)) return undefined
    const known = replies.get(path)
    if (known !== undefined) return known
    const reply = readAsset(join(folder, path))
    replies.set(path, reply)
    return reply
  }
}

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile())
  return new Set(
    files.map(file => `/${join(file.parentPath, file.name).slice(folder.length).replaceAll('\\', '/')}`),
  )
}

async function readAsset(file: string): Promise<Reply> {
  const body = await readFile(file)
  return {
    status: 200,
    headers: {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      // A name with a hash in it never means anything else.
      'cache-control': /-[\w-]{8,}\.\w+$/.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
    body,
  }
}
