import { expect, test } from 'vitest'
import { schemaSha256 } from '../../../../src/features/capture/capabilities.ts'

const described = (description: string) => ({ type: 'object', properties: { at: { description } } })

test.each([
  ["Use 'UTC' as local timezone if none is given", "Use 'Asia/Tokyo' as local timezone if none is given"],
  ['in America/Argentina/Ushuaia', 'in Etc/GMT+9'],
  ['Below /home/ann/project/files.', 'Below /builds/acme/agent/files.'],
  ['allowed: "/tmp/prove-1x", or /root', 'allowed: "C:\\Users\\ann\\AppData", or /Users/ann'],
  ['file:///home/ann/notes.md', 'file:///srv/notes.md'],
])('a schema with %s has the hash of one with %s', async (one, other) => {
  expect(await schemaSha256(described(one))).toBe(await schemaSha256(described(other)))
})

test.each([
  ['to', 'to all'],
  ['#/$defs/home/A', '#/$defs/home/B'],
  ['https://example.com/home/a', 'https://example.com/home/b'],
  ['GET /v1/users', 'GET /v1/groups'],
  ['North/South', 'East/West'],
])('a schema with %s has another hash than one with %s', async (one, other) => {
  expect(await schemaSha256(described(one))).not.toBe(await schemaSha256(described(other)))
})
