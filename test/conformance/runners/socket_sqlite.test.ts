import { socketService } from '../../support/services/socket.ts'
import { socketContract } from '../suite/index.ts'

socketContract(socketService)
