"""What steps, lanes, gangs and starts cost in which slots, learned as they are run. It knows no plan, and no study."""
