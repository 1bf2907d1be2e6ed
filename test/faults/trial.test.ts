import { itKeepsItsPromises } from '../harness/trial-story.ts';

describe('the trial of docker-compose.yml, as processes', () => {
  itKeepsItsPromises();
});
