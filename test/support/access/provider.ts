import { onTestFinished } from 'vitest'
import { type ProviderOptions, type TestProvider, openProvider } from './openid_provider.ts'

export type { TestProvider }

/** An OpenID provider for as long as a test runs. */
export async function testProvider(options: ProviderOptions): Promise<TestProvider> {
  const provider = await openProvider(options)
  onTestFinished(() => provider.close())
  return provider
}
