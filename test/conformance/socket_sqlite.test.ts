import { socketService } from '../support/socket.ts'
import { serviceContract } from './suite/index.ts'

serviceContract(socketService)
