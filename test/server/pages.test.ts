import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assetServer } from '../../src/runtime/node/assets.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { socketService } from '../support/services/socket.ts'

describe('pages', () => {
  test('come with their security headers, and load nothing from elsewhere', async () => {
    const { status, headers, text } = await (await socketService()).call('GET /docs')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(text).not.toMatch(/<script>|https?:\/\//)
  })

  test('have assets that are sent once', async () => {
    const service = await socketService({ assets: assetServer() })
    const first = await service.call('GET /docs/docs.js')
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    const etag = first.headers.get('etag')!
    const again = await service.call('GET /docs/docs.js', { headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await service.call('HEAD /docs/docs.js')).status).toBe(200)
  })

  test('are read again where they could not be read', async () => {
    const folder = join(temporaryFolder(), 'web')
    writeFileSync(folder, 'a file in place of the folder')
    const asset = assetServer(`${folder}/`)
    await expect(asset('/')).rejects.toThrow('ENOTDIR')
    rmSync(folder)
    mkdirSync(folder)
    writeFileSync(join(folder, 'index.html'), 'here')
    writeFileSync(join(folder, 'app.js'), 'here')
    expect(await asset('/')).toMatchObject({ status: 200 })
    rmSync(join(folder, 'app.js'))
    await expect(asset('/app.js')).rejects.toThrow('ENOENT')
    writeFileSync(join(folder, 'app.js'), 'here')
    expect(await asset('/app.js')).toMatchObject({ status: 200 })
  })

  test.each(['/docs/../../package.json', '/docs/%2e%2e/%2e%2e/package.json', '/docs//docs.js', '/docs/'])(
    'and nothing but assets: %s',
    async path => {
      const service = await socketService({ assets: assetServer() })
      expect((await service.call(`GET ${path}` as `GET /${string}`)).text).not.toContain('"name"')
      expect((await service.call(`GET ${path}` as `GET /${string}`)).status).not.toBe(500)
    },
  )
})
