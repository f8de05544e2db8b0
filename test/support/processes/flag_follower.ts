import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'
import { OpenFeature, type Provider, ProviderEvents } from '@openfeature/web-sdk'

/** Prints the value of the flag `bot` as a web page sees it, at first and each time that its provider hears of a change. */
const [, , baseUrl, environment] = process.argv
// Its optional `hooks` may be undefined, which only the compiler minds.
const provider = new OFREPWebProvider({ baseUrl: baseUrl!, cacheMode: 'disabled' }) as unknown as Provider
await OpenFeature.setProviderAndWait(provider, { environment: environment!, targetingKey: 'user-1' })
const flags = OpenFeature.getClient()
const print = (): void => console.log(flags.getStringValue('bot', 'none'))
flags.addHandler(ProviderEvents.ConfigurationChanged, print)
print()
