import { badRequest } from '../../base/errors.ts'
import { type OpenedServices, type ServicesOptions, openServices } from './open.ts'

/** Opens the ledger of a folder for work that no route does, and closes it. Throws 400 where a URL is set. */
export async function withLedger<T>(
  options: ServicesOptions,
  work: (services: OpenedServices) => Promise<T>,
): Promise<T> {
  const { serviceUrl, serviceProfile } = options.environment
  if (serviceUrl !== undefined || serviceProfile !== undefined) {
    throw badRequest(
      'This command works on the machine of the ledger only: unset SERVICE_URL and SERVICE_PROFILE.',
    )
  }
  const services = await openServices(options)
  try {
    return await work(services)
  } finally {
    await services.sql.close()
  }
}
