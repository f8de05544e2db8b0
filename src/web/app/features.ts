export { SuitesPage as suites } from '../../features/scores/page/suites.tsx'
export { WatchesPage as watches } from '../../features/watch/page/watches.tsx'
