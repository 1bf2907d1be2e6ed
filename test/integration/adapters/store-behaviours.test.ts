import { storeBehaviourContract } from '../../contract/store-behaviours.ts';

describe('the AWS double as another store', storeBehaviourContract);
