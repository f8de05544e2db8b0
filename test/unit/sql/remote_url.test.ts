import { expect, test } from 'vitest'
import { readRemoteUrl, remoteName } from '../../../src/sql/libsql/remote_url.ts'

test.each([
  [
    'libsql://db.example.com',
    { address: 'https://db.example.com/', token: undefined, queryTimeoutMs: 30_000 },
  ],
  ['libsql://db.example.com?authToken=ey.J', { address: 'https://db.example.com/', token: 'ey.J' }],
  ['libsql://127.0.0.1:8080?tls=0', { address: 'http://127.0.0.1:8080/' }],
  ['http://127.0.0.1:8080', { address: 'http://127.0.0.1:8080/' }],
  ['https://h/dev/one', { address: 'https://h/dev/one/' }],
  [' libsql://h?query_timeout=2 ', { address: 'https://h/', queryTimeoutMs: 2000 }],
])('%s', (url, read) => {
  expect(readRemoteUrl(url)).toMatchObject(read)
})

test.each([
  ['libsql://', 'is not a valid libsql://'],
  ['ftp://h', 'is not a valid libsql://'],
  ['libsql://hidden@h', 'has a user or password; libSQL takes a token'],
  ['libsql://h?token=hidden', 'has token=…; known are authToken, query_timeout and tls'],
  ['libsql://h?tls=yes&authToken=hidden', 'has tls=yes; it must be 0 or 1'],
  ['http://h?tls=1&authToken=hidden', 'has tls=1 and http://'],
  ['libsql://h?query_timeout=0&authToken=hidden', 'has query_timeout=0, which is no whole number above 0'],
])('%s is refused, by name', (url, said) => {
  expect(() => readRemoteUrl(url)).toThrow(`the database URL ${said}`)
  expect(() => readRemoteUrl(url)).not.toThrow('hidden')
})

test.each([
  ['libsql://db.example.com?authToken=hidden', 'libsql://db.example.com'],
  ['http://h:8080/dev/one', 'http://h:8080/dev/one'],
  ['libsql://', 'libSQL'],
])('for people %s is %s', (url, name) => {
  expect(remoteName(url)).toBe(name)
})
