import { socketService } from '../../support/services/socket.ts'
import { serviceContract } from '../suite/index.ts'

serviceContract(socketService)
