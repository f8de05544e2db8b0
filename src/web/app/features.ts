export { WatchesPage as watches } from '../../features/watch/page/watches.tsx'
