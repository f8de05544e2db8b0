import { type Place, acknowledge, input, open } from './support.ts'

const services = await open(input<{ place: Place }>().place)
const { rows } = await services.sql.query({ text: 'SELECT count(*) AS n FROM schema_migrations', params: [] })
acknowledge(rows[0])
await services.sql.close()
