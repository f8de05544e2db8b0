export { identity } from '../../features/identity/page/identity.tsx'
export { tokens } from '../../features/tokens/page/tokens.tsx'
